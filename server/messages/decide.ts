import type { Message, Session, SessionState } from '../contract';

/** States in which an agent waits for a message: its turn has ended and nothing else is asked of the person. */
const READY: readonly SessionState[] = ['idle', 'finished', 'waiting', 'error'];

const IN_FLIGHT = ['typing', 'typed'] as const;
export const inFlight = (message: Message): boolean =>
  (IN_FLIGHT as readonly string[]).includes(message.state);
export const isOpen = (message: Message): boolean =>
  message.state === 'kept' || message.state === 'unsure' || inFlight(message);

/** Pure. The message to hand over now, or null: in order of place, one at a time, never past one that is in doubt. */
export function nextMessage(session: Session | null, messages: readonly Message[]): Message | null {
  if (session?.kind !== 'agent' || session.pane === null || !READY.includes(session.state)) return null;
  // The first prompt goes before anything written later.
  if (session.promptKept) return null;
  // What follows a message of which nobody knows whether it arrived would arrive out of order.
  if (messages.some((message) => inFlight(message) || message.state === 'unsure')) return null;
  return (
    messages
      .filter((message) => message.state === 'kept')
      .sort((a, b) => a.place - b.place || a.created - b.created)[0] ?? null
  );
}

/**
 * Pure. Where a message goes that is put before another: halfway to the one before that; null puts it last. One that is
 * on its way or in doubt counts too: it may come back into the queue, and must not find a later one in its place.
 */
export function placeBefore(messages: readonly Message[], before: string | null): number {
  const queue = messages.filter(isOpen).sort((a, b) => a.place - b.place);
  const last = queue.at(-1)?.place ?? 0;
  const at = before === null ? -1 : queue.findIndex((message) => message.id === before);
  const next = queue[at];
  if (!next) return last + 1;
  const previous = queue[at - 1]?.place ?? next.place - 2;
  return (previous + next.place) / 2;
}
