import { z } from 'zod';

/** What a session is doing, as shown. `unknown` is honest: we do not guess. */
export const SessionState = z.enum([
  'starting',
  'working',
  'needs-you',
  'waiting', // the turn ended, its own background job or subagent still runs
  'finished', // the turn ended and nobody has looked yet
  'idle',
  'limit',
  'signed-out',
  'error',
  'exited',
  'unknown',
]);
export type SessionState = z.infer<typeof SessionState>;

/** Where a claim about the state came from. */
export const EvidenceSource = z.enum([
  'hook',
  'api',
  'session-file',
  'transcript',
  'process',
  'title',
  'screen',
  'host',
]);
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/** One vote: who says what, since when, and one sentence a person can check. */
export const Evidence = z.object({
  source: EvidenceSource,
  state: SessionState,
  at: z.number(), // ms since epoch when the signal was seen
  detail: z.string(),
});
export type Evidence = z.infer<typeof Evidence>;
