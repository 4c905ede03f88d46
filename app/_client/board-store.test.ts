import { describe, expect, it } from 'vitest';
import type { Need, Session } from '@/server/contract';
import { applyUpdate, type BoardState, EMPTY, openNeedsOf, settledLately } from './board-store';

const session = (over: Partial<Session> = {}) =>
  ({ id: 'session00001', name: 'one', state: 'working', since: 0, ...over }) as Session;
const need = (over: Partial<Need> = {}) =>
  ({ id: 'need00000001', sessionId: 'session00001', state: 'pending', settled: null, ...over }) as Need;
const withNeeds = (...needs: Need[]): BoardState =>
  needs.reduce((state, each) => applyUpdate(state, { type: 'need', need: each }), EMPTY);

describe('the board in the browser', () => {
  it('replaces whole rows, leaves the others as they are, and is ready only with a snapshot', () => {
    const first = applyUpdate(EMPTY, { type: 'session', session: session() });
    expect(first.ready).toBe(false);
    const other = session({ id: 'session00002' as Session['id'] });
    const second = applyUpdate(first, { type: 'session', session: other });
    const third = applyUpdate(second, { type: 'session', session: session({ name: 'renamed' }) });
    expect(third.sessions.get('session00001')?.name).toBe('renamed');
    expect(third.sessions.get('session00002')).toBe(other);
    expect(first.sessions.size).toBe(1);
  });

  it('a snapshot forgets what it does not hold, and keeps the state of the line', () => {
    const before = { ...withNeeds(need()), line: 'live' as const, heard: 7 };
    const snapshot = {
      seq: 9,
      sessions: [session()],
      needs: [],
      messages: [],
      projects: [],
      worktrees: [],
      vendors: [],
    };
    const after = applyUpdate(before, { type: 'snapshot', snapshot });
    expect(after.needs.size).toBe(0);
    expect(after).toMatchObject({ ready: true, line: 'live', heard: 7 });
  });

  it('a request is open only while it is pending', () => {
    const state = withNeeds(need(), need({ id: 'need00000002' as Need['id'], state: 'answered' }));
    expect(openNeedsOf(state, 'session00001').map((each) => each.id)).toEqual(['need00000001']);
    expect(openNeedsOf(state, 'session00002')).toEqual([]);
  });

  it('a settled request is said for a moment; one the agent has not taken, for as long as that is so', () => {
    const settled = withNeeds(need({ state: 'confirmed', settled: 1_000 }));
    expect(settledLately(settled, 'session00001', 5_000)?.id).toBe('need00000001');
    expect(settledLately(settled, 'session00001', 60_000)).toBeNull();
    const recorded = withNeeds(need({ state: 'answered' }));
    expect(settledLately(recorded, 'session00001', 3_600_000)?.state).toBe('answered');
    expect(settledLately(withNeeds(need()), 'session00001', 0)).toBeNull();
  });
});
