import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { AppError } from '../server/contract';

export type Db = BetterSQLite3Database & { $client: Database.Database };

/** The WAL-reset race of all versions from 2010 to 3.51.2 can lose commits with two connections. */
const MIN_SQLITE = [3, 51, 3] as const;

export function sqliteNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (let i = 0; i < MIN_SQLITE.length; i++) {
    const have = parts[i] ?? 0;
    const want = MIN_SQLITE[i] ?? 0;
    if (have !== want) return have > want;
  }
  return true;
}

export interface OpenOptions {
  file: string; // ':memory:' in unit tests
  migrations: string;
  backups: string | null; // where to copy the file before a migration
  now(): number;
}

/**
 * Opens the one write connection, checks it and brings it to the newest schema. The caller closes it with
 * `db.$client.close()`. Throws AppError for a runtime that is too old, a newer schema or a damaged file.
 */
export function openDatabase(options: OpenOptions): Db {
  const fresh = options.file === ':memory:' || !existsSync(options.file);
  let raw: Database.Database;
  try {
    raw = new Database(options.file, { timeout: 5_000 });
    raw.pragma('journal_mode = WAL');
    // FULL everywhere: needs, answers, devices and the outbox must survive power loss, and at our rate of facts the
    // cheaper mode for the rest would only be a second thing to reason about.
    raw.pragma('synchronous = FULL');
    raw.pragma('foreign_keys = ON');
    const { version } = sqliteFacts({ $client: raw });
    if (!sqliteNewEnough(version)) {
      throw new AppError({
        code: 'missing-tool',
        message: `SQLite ${version} is too old; ${MIN_SQLITE.join('.')} or newer is needed.`,
        hint: 'Run npm ci again.',
      });
    }
    if (!fresh) {
      const check = raw.pragma('quick_check(1)', { simple: true });
      if (check !== 'ok') throw new Error(String(check));
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError({
      code: 'internal',
      message: `The database ${options.file} cannot be read: ${(cause as Error).message}`,
      hint: `Move it away to start anew, or restore a copy from ${options.backups ?? 'a backup'}.`,
      cause,
    });
  }
  if (options.file !== ':memory:') chmodSync(options.file, 0o600);
  const known = readMigrationFiles({ migrationsFolder: options.migrations });
  const applied = fresh ? 0 : appliedCount(raw);
  if (applied > known.length) {
    raw.close();
    throw new AppError({
      code: 'conflict',
      message: 'The state folder was written by a newer Offdeck.',
      hint: 'Start that version, or set OFFDECK_HOME to another folder.',
    });
  }
  if (!fresh && applied < known.length && options.backups) backup(raw, options.backups, options.now());
  const db = drizzle(raw) as Db;
  migrate(db, { migrationsFolder: options.migrations });
  return db;
}

/** The library that really runs, and how it keeps its journal. */
export function sqliteFacts(db: Pick<Db, '$client'>): { version: string; journal: string } {
  const row = db.$client.prepare('select sqlite_version() as version').get() as { version: string };
  return { version: row.version, journal: String(db.$client.pragma('journal_mode', { simple: true })) };
}

function appliedCount(raw: Database.Database): number {
  const table = raw.prepare("select name from sqlite_master where name = '__drizzle_migrations'").get();
  if (!table) return 0;
  return (raw.prepare('select count(*) as n from __drizzle_migrations').get() as { n: number }).n;
}

const KEEP_BACKUPS = 5;

function backup(raw: Database.Database, folder: string, now: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `offdeck-${now}.db`);
  raw.prepare('vacuum into ?').run(file);
  chmodSync(file, 0o600);
  const old = readdirSync(folder)
    .filter((name) => /^offdeck-\d+\.db$/.test(name))
    .sort()
    .slice(0, -KEEP_BACKUPS);
  for (const name of old) rmSync(join(folder, name));
}
