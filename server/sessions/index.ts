/**
 * Sessions: one agent or terminal in one tmux pane, with a durable id. Owns their life (start, resume, end), the
 * observers of their vendors and the fused state. A restart of the host never ends one. It must never answer a
 * request by itself and never type into a pane: prompts and answers go through the vendor's own channel.
 */
export type { HookHost, PaneFact, PaneHost, SessionDeps } from './ports';
export { createSessions, type Sessions } from './sessions';
export { type SessionReader, sessionReader, sessionsProjection } from './store';
