import { describe, expect, it } from 'vitest';
import type { EvidenceSource, SessionState } from '../contract';
import { fuse, GRACE_MS, type Vote } from './fuse';

const vote = (source: EvidenceSource, state: SessionState, at: number): Vote => ({
  source,
  state,
  at,
  detail: '',
  reason: null,
  resetsAt: null,
});

describe('fusing the votes about a state', () => {
  it('knows nothing without votes', () => {
    expect(fuse([], 0)).toEqual({ winner: null, recheck: null });
  });

  it('believes the latest when nothing stronger spoke just before', () => {
    const { winner } = fuse([vote('hook', 'working', 0), vote('session-file', 'idle', 5_000)], 5_000);
    expect(winner?.state).toBe('idle');
  });

  it('prefers a stronger source during the grace, then lets the weaker one heal a lost end event', () => {
    const votes = [vote('hook', 'working', 1_000), vote('session-file', 'idle', 1_300)];
    const during = fuse(votes, 1_400);
    expect(during.winner?.state).toBe('working');
    expect(during.recheck).toBe(1_300 + GRACE_MS);
    expect(fuse(votes, 1_300 + GRACE_MS).winner?.state).toBe('idle');
  });

  it('lets a stronger later vote win at once', () => {
    expect(
      fuse([vote('session-file', 'idle', 1_000), vote('api', 'working', 1_001)], 1_001).winner?.state,
    ).toBe('working');
  });
});
