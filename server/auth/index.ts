/**
 * Devices: who they are, how a browser becomes one, and what proves it. Owns the device table and this host's id.
 * Guarantees that a device is known by a signature of its own non-extractable key and by nothing else, that a launch
 * code works once and for a minute, and that a revoked device proves nothing from that moment on. It must never hold a
 * private key, trust an id or a time that a client states, or be switched off.
 */
export {
  type AnswerProof,
  type Auth,
  createAuth,
  HELLO_MS,
  type KnownDevice,
  type ProvenDevice,
  type SocketProof,
} from './auth';
