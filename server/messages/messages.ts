import type { OutgoingMessage, PromptOutcome } from '../agents/port';
import {
  AppError,
  commandOf,
  type Draft,
  type ImageName,
  type Message,
  type MessageId,
  type SendMessage,
  type Session,
  type SessionId,
} from '../contract';
import type { Log } from '../log';
import type { Clock, CrashPoint, Journal } from '../platform';
import { inFlight, nextMessage, placeBefore } from './decide';
import type { MessageReader } from './store';

export interface MessageDeps {
  log: Log;
  reader: MessageReader;
  clock: Clock;
  journal: Journal;
  crash: CrashPoint;
  session(id: SessionId): Session | null;
  takesImages(session: Session): boolean;
  /** Where a picture given to a session lies; null when it is gone. */
  imagePath(id: SessionId, image: ImageName): string | null;
  /** Hands one message to the agent of a session that runs. */
  prompt(id: SessionId, message: OutgoingMessage, typed: () => void): Promise<PromptOutcome>;
  /** Whether the agent's own record has these words of the person, said since then. */
  saidSince(id: SessionId, text: string, since: number): Promise<boolean>;
}

export interface Messages {
  /** Keeps a message; it is durable when this returns. The same id again is the same message. Throws AppError. */
  send(label: string, input: SendMessage): Message;
  /** Changes the words or the place of one that is still kept. Throws AppError `conflict` when it is on its way. */
  edit(id: MessageId, change: { text?: string; before?: MessageId | null }): Message;
  /** Takes back one that is kept or in doubt. */
  remove(id: MessageId): Message;
  /** Puts one that is in doubt back into the queue: the person has looked. */
  retry(id: MessageId): Message;
  /** What is written and not sent; empty when there is nothing. */
  draft(sessionId: SessionId): Draft;
  /** What was sent to it, newest first, each text once. */
  earlier(sessionId: SessionId): string[];
  /** Keeps it in the place of what was kept; an empty one forgets it. Throws `not-found`. */
  keepDraft(sessionId: SessionId, draft: Draft): void;
  /** After a start of the host: what was on its way is looked for in the agents' own records. */
  reconcile(): void;
  close(): void;
}

const MAX_KEPT = 200;
const MAX_EARLIER = 100;
/** How often a message that could not be handed over is tried again, besides at every change of its session. */
const AGAIN_MS = 2_000;
/** Each refusal doubles the wait up to this: every try is two events in the log, and a dialog may stand all night. */
const AGAIN_AT_MOST_MS = 16_000;
/** How long an agent's record may lag behind what it took. */
const RECORD_MS = 4_000;
const UNSURE = 'It may or may not have arrived: look at the terminal before sending it again.';

export function createMessages(deps: MessageDeps): Messages {
  const { log, reader, clock, journal } = deps;
  const busy = new Set<SessionId>(); // one hand-over at a time per session
  const refused = new Map<SessionId, { id: MessageId; wait: number; until: number }>();
  let closed = false;

  const move = (message: Message, state: Message['state'], note: string | null = null) =>
    log.commit([{ type: 'message.moved', messageId: message.id, state, note }]);
  const must = (id: MessageId): Message => {
    const message = reader.get(id);
    if (!message) throw new AppError({ code: 'not-found', message: 'There is no such message.' });
    return message;
  };
  const still = (id: MessageId, state: Message['state']): Message | null => {
    const message = reader.get(id);
    return message?.state === state ? message : null;
  };

  const handOver = async (message: Message): Promise<void> => {
    // Durable before the first byte: a host that dies from here on does not send it again by itself.
    move(message, 'typing');
    deps.crash('message.typing');
    const { id, text, command } = message;
    const images = (message.images ?? []).map((image) => deps.imagePath(message.sessionId, image));
    if (images.includes(null)) {
      move(message, 'unsure', 'An image of it is gone: nothing was handed over. Remove it.');
      return;
    }
    const outgoing: OutgoingMessage = {
      id,
      text,
      ...(command ? { command } : {}),
      ...(images.length > 0 ? { images: images.filter((path) => path !== null) } : {}),
    };
    const result = await deps
      .prompt(message.sessionId, outgoing, () => {
        const now = still(message.id, 'typing');
        if (now) move(now, 'typed');
        deps.crash('message.typed');
      })
      .catch((cause: unknown): PromptOutcome => {
        journal.warn(`a message could not be handed to session ${message.sessionId}`, cause);
        return { outcome: 'unsure', why: UNSURE };
      });
    deps.crash('message.before-receipt');
    const now = reader.get(message.id);
    if (!now || !inFlight(now) || closed) return;
    const { sessionId } = now;
    if (result.outcome === 'not-now' && now.state === 'typing') {
      const last = refused.get(sessionId);
      const before = last?.id === now.id ? last.wait : AGAIN_MS / 2;
      const wait = Math.min(before * 2, AGAIN_AT_MOST_MS);
      refused.set(sessionId, { id: now.id, wait, until: clock.mono() + wait });
      move(now, 'kept', result.why);
      return;
    }
    refused.delete(sessionId);
    if (result.outcome === 'accepted') move(now, 'accepted');
    else await settleByRecord(now, result.why);
  };

  /** What a channel cannot say, the agent's own record often can. */
  const settleByRecord = async (message: Message, why: string): Promise<void> => {
    const until = clock.mono() + RECORD_MS;
    do {
      const said = await deps.saidSince(message.sessionId, message.text, message.moved).catch(() => false);
      const now = reader.get(message.id);
      if (!now || !inFlight(now) || closed) return;
      if (said) {
        move(now, 'accepted');
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    } while (clock.mono() < until);
    const now = reader.get(message.id);
    if (!now || !inFlight(now) || closed) return;
    // An agent that has ended without it can no longer take it, so it is safe to keep it for the next.
    if (deps.session(now.sessionId)?.state === 'exited') {
      move(now, 'kept', 'The agent ended before it took this; it goes out when the session is resumed.');
    } else move(now, 'unsure', why);
  };

  const pump = (sessionId: SessionId): void => {
    if (busy.has(sessionId) || closed) return;
    const next = nextMessage(deps.session(sessionId), reader.openOf(sessionId));
    if (!next) return;
    busy.add(sessionId);
    void handOver(next).finally(() => {
      busy.delete(sessionId);
      // One that was refused waits for the next change, or the timer; the one after an accepted one for its turn.
    });
  };

  // Not within the commit that told it: who sent a message has its receipt before anything is typed.
  const soon = (sessionId: SessionId) => setImmediate(() => pump(sessionId));
  const stop = log.subscribe(({ event }) => {
    if (event.type === 'message.kept') soon(event.message.sessionId);
    else if ('sessionId' in event && event.type.startsWith('session.')) soon(event.sessionId);
  });
  const timer = setInterval(() => {
    for (const sessionId of new Set(reader.open().map((message) => message.sessionId))) {
      if ((refused.get(sessionId)?.until ?? 0) <= clock.mono()) pump(sessionId);
    }
  }, AGAIN_MS);
  timer.unref();

  return {
    send(label, { sessionId, id, text, command, images = [] }) {
      const known = reader.get(id);
      if (known) return known;
      const session = deps.session(sessionId);
      if (!session) throw new AppError({ code: 'not-found', message: 'There is no such session.' });
      if (session.kind !== 'agent') {
        throw new AppError({ code: 'bad-input', message: 'A terminal takes keys, not messages.' });
      }
      if (command && commandOf(text) === null) {
        throw new AppError({ code: 'bad-input', message: 'A command is “/name”, and words after it.' });
      }
      if (text.trim() === '' && images.length === 0) {
        throw new AppError({ code: 'bad-input', message: 'The message is empty.' });
      }
      if (images.length > 0 && !deps.takesImages(session)) {
        throw new AppError({ code: 'bad-input', message: 'This agent takes no images.' });
      }
      if (images.length > 0 && command) {
        throw new AppError({ code: 'bad-input', message: 'A command takes no images.' });
      }
      if (images.some((image) => deps.imagePath(sessionId, image) === null)) {
        throw new AppError({
          code: 'not-found',
          message: 'An image of the message is gone.',
          hint: 'Take it out or add it again.',
        });
      }
      const open = reader.openOf(sessionId);
      if (open.length >= MAX_KEPT) {
        throw new AppError({
          code: 'conflict',
          message: `${MAX_KEPT} messages already wait for this agent.`,
          hint: 'Remove some of them first.',
        });
      }
      const now = clock.now();
      const message: Message = {
        id,
        sessionId,
        text,
        ...(command ? { command } : {}),
        ...(images.length > 0 ? { images } : {}),
        state: 'kept',
        note: null,
        place: placeBefore(open, null),
        by: label,
        created: now,
        moved: now,
      };
      log.commit([{ type: 'message.kept', message }]);
      deps.crash('message.kept');
      return must(id);
    },
    edit(id, { text, before }) {
      const message = must(id);
      if (message.state !== 'kept') {
        throw new AppError({ code: 'conflict', message: 'It is on its way already and cannot be changed.' });
      }
      if (text?.trim() === '' && !message.images) {
        throw new AppError({ code: 'bad-input', message: 'The message is empty.' });
      }
      const place =
        before === undefined ? message.place : placeBefore(reader.openOf(message.sessionId), before);
      log.commit([{ type: 'message.edited', messageId: id, text: text ?? message.text, place }], {
        guard: () => {
          if (!still(id, 'kept')) {
            throw new AppError({
              code: 'conflict',
              message: 'It is on its way already and cannot be changed.',
            });
          }
        },
      });
      return must(id);
    },
    remove(id) {
      const message = must(id);
      if (message.state === 'removed') return message;
      if (message.state !== 'kept' && message.state !== 'unsure') {
        throw new AppError({
          code: 'conflict',
          message: 'It is on its way already and cannot be taken back.',
        });
      }
      move(message, 'removed');
      pump(message.sessionId);
      return must(id);
    },
    retry(id) {
      const message = must(id);
      if (message.state !== 'unsure') {
        throw new AppError({
          code: 'conflict',
          message: 'Only a message that is in doubt can be sent again.',
        });
      }
      move(message, 'kept');
      pump(message.sessionId);
      return must(id);
    },
    draft: (sessionId) => reader.draft(sessionId),
    earlier: (sessionId) => {
      const first = deps.session(sessionId)?.prompt;
      const sent = reader.sentTo(sessionId, MAX_EARLIER).filter((text) => text !== '');
      return [...new Set([...sent, ...(first ? [first] : [])])];
    },
    keepDraft(sessionId, draft) {
      if (!deps.session(sessionId)) {
        throw new AppError({ code: 'not-found', message: 'There is no such session.' });
      }
      reader.keepDraft(sessionId, draft);
    },
    reconcile() {
      for (const message of reader.open()) {
        if (!inFlight(message)) continue;
        busy.add(message.sessionId);
        void settleByRecord(message, `The host stopped while it was on its way. ${UNSURE}`).finally(() => {
          busy.delete(message.sessionId);
          pump(message.sessionId);
        });
      }
    },
    close() {
      closed = true;
      clearInterval(timer);
      stop();
    },
  };
}
