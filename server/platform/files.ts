import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { newId } from './ids';

/**
 * Replaces a file in one step, 0600, flushed: a reader sees the old text or the new one, never half.
 * The temporary file is in the same folder, since rename does not cross file systems.
 */
export function writePrivate(path: string, data: string | Uint8Array): void {
  const temporary = `${path}.${newId(40)}.tmp`;
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(fd, data); // unlike writeSync, it goes on after a short write
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}

/** The file's text, or null when it does not exist. Other errors are thrown. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
