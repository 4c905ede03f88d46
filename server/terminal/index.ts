/**
 * The terminal: the bytes of every pane, fanned out to browsers, and what they type. One control client on a pty in a
 * worker of its own carries all panes. Guarantees that an agent is never slowed by who watches, that a redial neither
 * loses nor doubles a byte, and that a viewer reshapes a terminal only when asked. It must never start, end or name a
 * session, and it never answers a query on behalf of an application.
 */
export { createTerminal, type Terminal, type TerminalClient } from './terminal';
