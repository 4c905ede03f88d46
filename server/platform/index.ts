/**
 * Our face to the operating system: clock, ids, paths, processes, configuration. The only home of `child_process`,
 * `process.env` and the clock; knows nothing of sessions or agents.
 */
export { type Clock, systemClock } from './clock';
export { type Config, type CrashPoint, crashPoint, DEFAULT_PORT, readConfig } from './config';
export { readIfThere, writePrivate } from './files';
export { canonicalJson, newId, newSecret, sameSecret, sha256 } from './ids';
export { type Journal, redact, silentJournal, stderrJournal } from './journal';
export { type OpenUrl, openUrl } from './open-url';
export {
  demoFolderOf,
  demoHomeOf,
  type Paths,
  pathsFor,
  privateFile,
  privateFolder,
  type SessionPaths,
} from './paths';
export { findProgram, processAlive, type RunOptions, type RunResult, run } from './process';
export { readSmall } from './small-file';
export { VERSION } from './version';
