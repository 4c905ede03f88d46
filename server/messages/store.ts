import { and, eq, gt, inArray, ne, or } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { drafts } from '../../db/schema/drafts';
import { messages } from '../../db/schema/projections';
import { commandOf, type Draft, type LoggedEvent, type Message } from '../contract';
import type { Projection } from '../log';

const parse = (row: { body: string }): Message => JSON.parse(row.body) as Message;
const get = (db: Db, id: string): Message | null => {
  const row = db.select().from(messages).where(eq(messages.id, id)).get();
  return row ? parse(row) : null;
};
const rowOf = (message: Message) => ({
  id: message.id,
  sessionId: message.sessionId,
  state: message.state,
  moved: message.moved,
  body: JSON.stringify(message),
});

const commandKept = (before: Message, text: string): Pick<Message, 'command'> =>
  before.command ? { command: commandOf(text) !== null } : {};

function apply(db: Db, { event, at }: LoggedEvent): void {
  if (event.type === 'message.kept') {
    db.insert(messages).values(rowOf(event.message)).run();
    return;
  }
  if (event.type !== 'message.edited' && event.type !== 'message.moved') return;
  const before = get(db, event.messageId);
  if (!before) return;
  const after: Message =
    event.type === 'message.edited'
      ? // Other words are a command only if they still look like one.
        { ...before, text: event.text, place: event.place, ...commandKept(before, event.text) }
      : { ...before, state: event.state, note: event.note, moved: at };
  db.update(messages).set(rowOf(after)).where(eq(messages.id, after.id)).run();
}

export const messagesProjection: Projection = {
  name: 'messages',
  clear: (db) => {
    db.delete(messages).run();
  },
  apply,
};

const OPEN = ['kept', 'typing', 'typed', 'unsure'];

export interface MessageReader {
  get(id: string): Message | null;
  /** Those of a session that are not yet accepted or removed. */
  openOf(sessionId: string): Message[];
  open(): Message[];
  /** Open ones, and those accepted after `since`. */
  recent(since: number): Message[];
  /** Texts that were sent and not taken back, newest first. */
  sentTo(sessionId: string, limit: number): string[];
  draft(sessionId: string): Draft;
  /** An empty one is forgotten. */
  keepDraft(sessionId: string, draft: Draft): void;
}

export const messageReader = (db: Db): MessageReader => ({
  get: (id) => get(db, id),
  openOf: (sessionId) =>
    db
      .select()
      .from(messages)
      .where(and(eq(messages.sessionId, sessionId), inArray(messages.state, OPEN)))
      .all()
      .map(parse),
  open: () => db.select().from(messages).where(inArray(messages.state, OPEN)).all().map(parse),
  recent: (since) =>
    db
      .select()
      .from(messages)
      .where(or(inArray(messages.state, OPEN), and(ne(messages.state, 'removed'), gt(messages.moved, since))))
      .all()
      .map(parse),
  sentTo: (sessionId, limit) =>
    db
      .select()
      .from(messages)
      .where(and(eq(messages.sessionId, sessionId), ne(messages.state, 'removed')))
      .all()
      .map(parse)
      .sort((a, b) => b.created - a.created)
      .slice(0, limit)
      .map(({ text }) => text),
  draft: (sessionId) => {
    const row = db.select().from(drafts).where(eq(drafts.sessionId, sessionId)).get();
    return { text: row?.text ?? '', images: row ? (JSON.parse(row.images) as Draft['images']) : [] };
  },
  keepDraft: (sessionId, draft) => {
    if (draft.text === '' && draft.images.length === 0)
      db.delete(drafts).where(eq(drafts.sessionId, sessionId)).run();
    else {
      const set = { text: draft.text, images: JSON.stringify(draft.images) };
      db.insert(drafts)
        .values({ sessionId, ...set })
        .onConflictDoUpdate({ target: drafts.sessionId, set })
        .run();
    }
  },
});
