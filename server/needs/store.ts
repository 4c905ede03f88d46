import { and, desc, eq, gt, inArray, or } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { needs } from '../../db/schema/projections';
import type { LoggedEvent, Need } from '../contract';
import type { Projection } from '../log';
import { OPEN } from './decide';
import { projectNeed } from './project';

const parse = (row: { body: string }): Need => JSON.parse(row.body) as Need;
const get = (db: Db, id: string): Need | null => {
  const row = db.select().from(needs).where(eq(needs.id, id)).get();
  return row ? parse(row) : null;
};

const apply = (db: Db, { event, at }: LoggedEvent): void => {
  if (event.type === 'need.asked') {
    const { need } = event;
    db.insert(needs)
      .values({
        id: need.id,
        sessionId: need.sessionId,
        state: need.state,
        created: need.created,
        settled: need.settled,
        body: JSON.stringify(need),
      })
      .run();
    return;
  }
  if (event.type !== 'need.answered' && event.type !== 'need.moved') return;
  const before = get(db, event.needId);
  if (!before) return;
  const after = projectNeed(before, event, at);
  db.update(needs)
    .set({ state: after.state, settled: after.settled, body: JSON.stringify(after) })
    .where(eq(needs.id, after.id))
    .run();
};

export const needsProjection: Projection = {
  name: 'needs',
  clear: (db) => {
    db.delete(needs).run();
  },
  apply,
};

export interface NeedReader {
  get(id: string): Need | null;
  open(): Need[];
  /** Open ones, and those settled after `since`. */
  recent(since: number): Need[];
  openOf(sessionId: string): Need[];
  historyOf(sessionId: string): Need[];
}

export const needReader = (db: Db): NeedReader => ({
  get: (id) => get(db, id),
  open: () =>
    db
      .select()
      .from(needs)
      .where(inArray(needs.state, [...OPEN]))
      .orderBy(needs.created)
      .all()
      .map(parse),
  recent: (since) =>
    db
      .select()
      .from(needs)
      .where(or(inArray(needs.state, [...OPEN]), gt(needs.settled, since)))
      .orderBy(needs.created)
      .all()
      .map(parse),
  openOf: (sessionId) =>
    db
      .select()
      .from(needs)
      .where(and(eq(needs.sessionId, sessionId), inArray(needs.state, [...OPEN])))
      .orderBy(needs.created)
      .all()
      .map(parse),
  historyOf: (sessionId) =>
    db
      .select()
      .from(needs)
      .where(eq(needs.sessionId, sessionId))
      .orderBy(desc(needs.created))
      .limit(200)
      .all()
      .map(parse),
});
