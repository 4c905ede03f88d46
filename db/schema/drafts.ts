import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What a person has begun to write to a session; an ordinary table, since a draft is no fact. */
export const drafts = sqliteTable('drafts', {
  sessionId: text('session_id').primaryKey(),
  text: text('text').notNull(),
  images: text('images').notNull().default('[]'), // JSON: names of pictures in the session's folder
});
