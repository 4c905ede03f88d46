import type { Evidence, EvidenceSource } from '../contract';

/** A vote with what only the winner needs to carry on. */
export interface Vote extends Evidence {
  reason: string | null;
  resetsAt: number | null;
}

const STRENGTH: Record<EvidenceSource, number> = {
  process: 6,
  api: 5,
  hook: 4,
  'session-file': 3,
  transcript: 2,
  title: 1,
  screen: 1,
  host: 0, // our own "starting": any word of the agent's is better
};

/**
 * A weaker source that disagrees with a stronger, earlier one is believed after this long. Shorter, and a file that
 * lags behind a hook makes the card flicker; never, and a lost end event (Esc fires no hook) stays wrong for good.
 */
export const GRACE_MS = 800;

/**
 * Pure. Picks the vote to show: the latest one, unless a stronger source spoke less than GRACE_MS before it and the
 * grace has not passed yet. `recheck` is when to ask again, or null when nothing will change by waiting.
 */
export function fuse(votes: Iterable<Vote>, now: number): { winner: Vote | null; recheck: number | null } {
  const ordered = [...votes].sort((a, b) => b.at - a.at || STRENGTH[b.source] - STRENGTH[a.source]);
  const latest = ordered[0];
  if (!latest) return { winner: null, recheck: null };
  const stronger = ordered.find(
    (vote) =>
      STRENGTH[vote.source] > STRENGTH[latest.source] &&
      vote.state !== latest.state &&
      latest.at - vote.at < GRACE_MS,
  );
  if (!stronger || now - latest.at >= GRACE_MS) return { winner: latest, recheck: null };
  return { winner: stronger, recheck: latest.at + GRACE_MS };
}
