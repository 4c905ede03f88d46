import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, sqliteNewEnough } from './client';

let dir: string;
const open = () =>
  openDatabase({
    file: join(dir, 'x.db'),
    migrations: 'db/migrations',
    backups: join(dir, 'backups'),
    now: () => 7,
  });
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'od-db-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the database', () => {
  it('opens durable and private', () => {
    const db = open();
    expect(db.$client.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.$client.pragma('synchronous', { simple: true })).toBe(2);
    expect(statSync(join(dir, 'x.db')).mode & 0o777).toBe(0o600);
    db.$client.close();
  });

  it('refuses a schema from a newer Offdeck', () => {
    open().$client.close();
    const raw = new Database(join(dir, 'x.db'));
    raw
      .prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)')
      .run('future', Date.now());
    raw.close();
    expect(open).toThrow(/newer Offdeck/);
  });

  it('copies the file before it changes the schema', () => {
    open().$client.close();
    const raw = new Database(join(dir, 'x.db'));
    raw.prepare('delete from __drizzle_migrations').run();
    raw.close();
    // The first migration cannot be applied twice, so opening fails, but the copy was made before.
    expect(open).toThrow();
    expect(readdirSync(join(dir, 'backups'))).toEqual(['offdeck-7.db']);
  });

  it('says so when the file is damaged', () => {
    writeFileSync(join(dir, 'x.db'), 'this is not a database at all, not even nearly');
    expect(open).toThrow(/cannot be read/);
  });

  it('knows which SQLite is too old', () => {
    expect(['3.51.3', '3.53.2', '4.0.0'].map(sqliteNewEnough)).toEqual([true, true, true]);
    expect(['3.51.2', '3.8.9', '2.99.9'].map(sqliteNewEnough)).toEqual([false, false, false]);
  });
});
