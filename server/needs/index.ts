/**
 * Needs: what waits for the person. Owns the record, its digest, its life and the answer's way to the agent. Guarantees
 * that an allow reaches an agent only if a live device signed exactly that request while it was open, once; and that
 * no decision ever becomes a denial. It must never answer by itself and never use keystrokes.
 */
export type { Asked } from './decide';
export { createNeeds, type Needs } from './needs';
export { type NeedReader, needReader, needsProjection } from './store';
