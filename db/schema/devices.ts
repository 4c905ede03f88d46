import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Paired browsers. Only the public key is ever here. */
export const devices = sqliteTable('devices', {
  id: text('id').primaryKey(),
  label: text('label').notNull(),
  publicKey: text('public_key').notNull(), // JWK as JSON
  scopes: text('scopes').notNull(), // JSON array
  created: integer('created').notNull(),
  lastSeen: integer('last_seen'),
  revoked: integer('revoked'),
});
