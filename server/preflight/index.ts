/**
 * The preflight: what this machine must have before the host can start. Names each thing, what was found and a command
 * that mends it. It only looks: it installs nothing and never fails by itself.
 */
export { preflightHere } from './here';
export { type HostFacts, hostChecks } from './host-checks';
export { type PreflightInput, preflight } from './preflight';
