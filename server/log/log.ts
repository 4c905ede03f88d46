import { asc, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { events, outbox } from '../../db/schema/log';
import { DomainEvent, type LoggedEvent, streamOf } from '../contract';

/** Derives tables from facts. `apply` must be deterministic: rebuild must equal live. */
export interface Projection {
  name: string;
  clear(db: Db): void;
  apply(db: Db, logged: LoggedEvent): void;
}

/** An effect to perform after commit. `key` makes it unique: recording it twice records it once. */
export interface Effect {
  kind: string;
  key: string;
  body: unknown;
}
export interface StoredEffect extends Effect {
  id: number;
  created: number;
}

export interface Log {
  /**
   * Appends facts, updates every projection and records effects, in one transaction; then tells subscribers. When it
   * returns, all of it is durable. `guard` runs inside the transaction and may throw to refuse the whole commit.
   */
  commit(facts: DomainEvent[], options?: { effects?: Effect[]; guard?: () => void }): LoggedEvent[];
  /** Facts after `seq`, oldest first, at most `limit`. */
  since(seq: number, limit: number): LoggedEvent[];
  head(): number;
  /** Called after commit, in order, never inside another delivery. Returns the unsubscribe function. */
  subscribe(listener: (logged: LoggedEvent) => void): () => void;
  effects(kind?: string): StoredEffect[];
  effectDone(id: number): void;
  /** Throws away every projection and derives it anew from the log. */
  rebuild(): void;
}

export function createLog(deps: { db: Db; now(): number; projections: readonly Projection[] }): Log {
  const { db, now, projections } = deps;
  const listeners = new Set<(logged: LoggedEvent) => void>();
  const queue: LoggedEvent[] = [];
  let delivering = false;

  // A listener may commit. Its facts are queued behind the ones still being told, so every subscriber sees the
  // log's own order; delivering at once would show it a later fact before an earlier one.
  const deliver = (logged: LoggedEvent[]) => {
    queue.push(...logged);
    if (delivering) return;
    delivering = true;
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        for (const listener of [...listeners]) listener(next);
      }
    } finally {
      delivering = false;
    }
  };

  const parse = (row: typeof events.$inferSelect): LoggedEvent => ({
    seq: row.seq,
    at: row.at,
    event: DomainEvent.parse(JSON.parse(row.body)),
  });

  return {
    commit(facts, options = {}) {
      const at = now();
      const logged = db.$client.transaction(() => {
        options.guard?.();
        const rows = facts.map((fact): LoggedEvent => {
          const event = DomainEvent.parse(fact);
          const { seq } = db
            .insert(events)
            .values({ at, type: event.type, stream: streamOf(event), body: JSON.stringify(event) })
            .returning({ seq: events.seq })
            .get();
          return { seq, at, event };
        });
        for (const row of rows) for (const projection of projections) projection.apply(db, row);
        for (const effect of options.effects ?? []) {
          db.insert(outbox)
            .values({ kind: effect.kind, key: effect.key, body: JSON.stringify(effect.body), created: at })
            .onConflictDoNothing()
            .run();
        }
        return rows;
      })();
      deliver(logged);
      return logged;
    },
    since: (seq, limit) =>
      db
        .select()
        .from(events)
        .where(gt(events.seq, seq))
        .orderBy(asc(events.seq))
        .limit(limit)
        .all()
        .map(parse),
    head: () =>
      db
        .select({ seq: sql<number>`coalesce(max(${events.seq}), 0)` })
        .from(events)
        .get()?.seq ?? 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    effects(kind) {
      const rows = db
        .select()
        .from(outbox)
        .where(kind === undefined ? undefined : eq(outbox.kind, kind))
        .orderBy(asc(outbox.id))
        .all();
      return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as unknown }));
    },
    effectDone(id) {
      db.delete(outbox).where(eq(outbox.id, id)).run();
    },
    rebuild() {
      db.$client.transaction(() => {
        for (const projection of projections) projection.clear(db);
        const rows = db.select().from(events).orderBy(asc(events.seq)).all();
        for (const row of rows) {
          const logged = parse(row);
          for (const projection of projections) projection.apply(db, logged);
        }
      })();
    },
  };
}
