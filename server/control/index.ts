/**
 * The host's Unix sockets: one control socket for the owner's `offdeck` command, which is also the lock that keeps a
 * second host off the state folder, and one socket per session for its hooks. Guarantees that at most one host holds a
 * state folder, that a call counts for exactly the session whose socket and capability it came with, and that no input
 * can throw. It must never offer a verb that types into, answers for or changes a session.
 */
export { type ControlHandlers, type ControlSocket, createControlSocket } from './control-socket';
export { createSessionSockets, type SessionCall, type SessionSockets } from './session-sockets';
