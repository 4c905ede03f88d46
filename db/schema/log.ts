import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The log of facts. Append-only. `stream` is the id of the thing the fact is about. */
export const events = sqliteTable(
  'events',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    type: text('type').notNull(),
    stream: text('stream').notNull(),
    body: text('body').notNull(),
  },
  (t) => [index('events_stream').on(t.stream, t.seq)],
);

/** Effects still to perform, written in the transaction that decided them. */
export const outbox = sqliteTable('outbox', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  kind: text('kind').notNull(),
  key: text('key').notNull().unique(), // deduplicates: one effect is recorded once
  body: text('body').notNull(),
  attempts: integer('attempts').notNull().default(0),
  created: integer('created').notNull(),
});

export const meta = sqliteTable('meta', { key: text('key').primaryKey(), value: text('value').notNull() });
