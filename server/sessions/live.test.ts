import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { VendorEvent } from '../agents/port';
import { type DomainEvent, type Session, SessionId, type SessionState } from '../contract';
import type { Log } from '../log';
import { LiveSession } from './live';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A session whose state is what was committed of it last. */
function session() {
  let state: SessionState = 'starting';
  const live = new LiveSession(SessionId.parse('sessionaaaaaa'), {
    log: {
      commit: (events: DomainEvent[]) => {
        for (const event of events) if (event.type === 'session.state-changed') state = event.state;
      },
    } as unknown as Log,
    clock: { now: () => Date.now(), mono: () => performance.now() } as never,
    reader: { get: () => ({ state, since: 0, reason: null, resetsAt: null }) as unknown as Session } as never,
    onNeed: () => {},
    onLive: () => {},
  });
  const say = (source: 'hook' | 'session-file', said: SessionState, anew = false) =>
    live.receive({ type: 'state', source, state: said, detail: '', anew } satisfies VendorEvent);
  return { say, state: () => state };
}

it('a source that stands by its word wins over what contradicted it since; one that only repeats it does not', async () => {
  for (const anew of [false, true]) {
    const { say, state } = session();
    say('hook', 'idle');
    say('session-file', 'working');
    await vi.advanceTimersByTimeAsync(1_000);
    say('session-file', 'idle');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state()).toBe('idle');
    say('hook', 'working'); // late: its turn is over
    expect(state()).toBe('working');
    await vi.advanceTimersByTimeAsync(3_000);
    say('session-file', 'idle', anew);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state()).toBe(anew ? 'idle' : 'working');
  }
});
