/**
 * Codex as a vendor: the real TUI in the pane is one client of an `app-server` process per config home, and we are
 * another. Guarantees: an answer goes only to the very request it was given for, and only while that waits; what it
 * cannot show in full it does not offer to answer; the app-server outlives the host.
 * It must never read a credential file, type into the pane, or answer by itself.
 */
export { codex } from './vendor';
