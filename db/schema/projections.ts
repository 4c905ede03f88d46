import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Projections: derived from the log, rebuilt at will. `body` is the contract's own shape as JSON. */
export const projects = sqliteTable('projects', {
  id: text('id').primaryKey(),
  path: text('path').notNull().unique(),
  fingerprint: text('fingerprint'), // of the exec-capable config and hooks when last trusted (S-33)
  body: text('body').notNull(),
});

export const worktrees = sqliteTable('worktrees', {
  id: text('id').primaryKey(),
  projectId: text('project_id').notNull(),
  path: text('path').notNull().unique(),
  body: text('body').notNull(),
});

export const sessions = sqliteTable('sessions', {
  id: text('id').primaryKey(),
  body: text('body').notNull(),
});

export const messages = sqliteTable(
  'messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id').notNull(),
    state: text('state').notNull(),
    moved: integer('moved').notNull(),
    body: text('body').notNull(),
  },
  (t) => [index('messages_session').on(t.sessionId), index('messages_state').on(t.state)],
);

export const needs = sqliteTable(
  'needs',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id').notNull(),
    state: text('state').notNull(),
    created: integer('created').notNull(),
    settled: integer('settled'),
    body: text('body').notNull(),
  },
  (t) => [index('needs_state').on(t.state), index('needs_session').on(t.sessionId)],
);
