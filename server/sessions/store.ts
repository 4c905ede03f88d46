import { eq } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { sessions } from '../../db/schema/projections';
import type { LoggedEvent, Session } from '../contract';
import type { Projection } from '../log';
import { projectSession } from './project';

const row = (db: Db, id: string): Session | null => {
  const found = db.select().from(sessions).where(eq(sessions.id, id)).get();
  return found ? (JSON.parse(found.body) as Session) : null;
};

const apply = (db: Db, { event, at }: LoggedEvent): void => {
  if (event.type === 'session.started') {
    db.insert(sessions)
      .values({ id: event.session.id, body: JSON.stringify(event.session) })
      .run();
    return;
  }
  if (!event.type.startsWith('session.') || !('sessionId' in event)) return;
  const before = row(db, event.sessionId);
  if (!before) return;
  const after = projectSession(before, event, at);
  db.update(sessions)
    .set({ body: JSON.stringify(after) })
    .where(eq(sessions.id, event.sessionId))
    .run();
};

export const sessionsProjection: Projection = {
  name: 'sessions',
  clear: (db) => {
    db.delete(sessions).run();
  },
  apply,
};

export interface SessionReader {
  get(id: string): Session | null;
  all(): Session[];
}
export const sessionReader = (db: Db): SessionReader => ({
  get: (id) => row(db, id),
  all: () =>
    db
      .select()
      .from(sessions)
      .all()
      .map((found) => JSON.parse(found.body) as Session),
});
