/**
 * The private tmux server: its socket, its configuration, its windows, and what may be typed into a pane.
 * Guarantees: the user's own tmux (server, configuration, keys) is neither read nor touched; the server outlives the
 * host; one living window per session id; no text of the user's is ever part of a tmux command; an agent inherits
 * nothing but the environment written for it.
 * It must never end the server, type into a dead pane or copy mode, or use `run-shell`, `if-shell` or `pipe-pane`.
 */
export { cleanPaste } from './clean-paste';
export { type Bytes, type LaunchSpec, launchScript, writeLaunchFile } from './launch-file';
export type { PaneHandle, PaneKey } from './pane-handle';
export type { PaneRow } from './pane-list';
export type { ServiceRow, Services } from './services';
export { createTmux, type Probe, type Tmux, type TmuxDeps } from './tmux';
export { tmuxNewEnough } from './tmux-version';
