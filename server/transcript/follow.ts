import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { generationOf, type Line, pageBefore, readLines, tailEnd } from './lines';

export type Followed =
  /** The tail, at the start and again whenever the file is another one or was cut. */
  | { type: 'tail'; generation: string; from: number; to: number; lines: Line[]; anew: boolean }
  | { type: 'more'; generation: string; to: number; lines: Line[] }
  | { type: 'none'; why: 'not-yet' | 'unreadable' };

export interface FollowOptions {
  /** Where the file is now; null while there is none. Asked again at every look: conversations move. */
  locate(): Promise<string | null>;
  /** Go on from here instead of from the tail, if it is still that file. */
  after: { generation: string; to: number } | null;
  tailBytes: number;
  signal: AbortSignal;
}

/** A change that no watch tells (other file systems, a file that appears) is seen this late at most. */
const LOOK_MS = 700;
const STEP = 1024 * 1024; // read at once; a burst is told in steps

/** Yields what the file holds and then what is appended, until `signal`. Never throws for a file that is not there. */
export async function* followLines(options: FollowOptions): AsyncGenerator<Followed> {
  const { signal } = options;
  let place = options.after;
  let told: Followed['type'] | 'nothing' = 'nothing';
  const watched: { now: { path: string; watcher: FSWatcher } | null } = { now: null };
  let wake: () => void = () => {};
  const bell = () => wake();
  signal.addEventListener('abort', bell);
  try {
    while (!signal.aborted) {
      let changed = false;
      const noted = new Promise<void>((resolve) => {
        wake = () => {
          changed = true;
          resolve();
        };
      });
      const path = await options.locate().catch(() => null);
      if (path !== (watched.now?.path ?? null)) {
        watched.now?.watcher.close();
        watched.now = path === null ? null : watchFile(path, bell);
      }
      let why: 'not-yet' | 'unreadable' = 'not-yet';
      let file: FileHandle | null = null;
      try {
        if (path !== null) file = await open(path, 'r');
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') why = 'unreadable';
      }
      let more = false;
      if (file) {
        // Closed before anything is told: who listens may take its time, or never ask again.
        const read = await next(file, place, options.tailBytes).finally(() => file?.close());
        if (read) {
          place = { generation: read.generation, to: read.to };
          told = read.type;
          more = read.type === 'more';
          yield read;
        } else if (place === null && told !== 'none') {
          told = 'none';
          yield { type: 'none', why };
        }
      } else if (told !== 'none') {
        told = 'none';
        place = null;
        yield { type: 'none', why };
      }
      if (more || changed) continue;
      const timer = setTimeout(bell, LOOK_MS);
      await noted;
      clearTimeout(timer);
    }
  } finally {
    signal.removeEventListener('abort', bell);
    watched.now?.watcher.close();
  }
}

async function next(
  file: FileHandle,
  place: { generation: string; to: number } | null,
  tailBytes: number,
): Promise<Exclude<Followed, { type: 'none' }> | null> {
  const generation = await generationOf(file);
  if (generation === null) return null;
  const { size } = await file.stat();
  if (place === null || place.generation !== generation || size < place.to) {
    const end = await tailEnd(file, size);
    const tail = await pageBefore(file, end, tailBytes);
    return { type: 'tail', generation, ...tail, anew: place !== null };
  }
  if (size === place.to) return null;
  let to = Math.min(size, place.to + STEP);
  let read = await readLines(file, place.to, to);
  // A line longer than a step: widen until it ends or the file does.
  while (read.to === place.to && to < size) {
    to = Math.min(size, to + STEP * 8);
    read = await readLines(file, place.to, to);
  }
  return read.to === place.to ? null : { type: 'more', generation, to: read.to, lines: read.lines };
}

function watchFile(path: string, bell: () => void): { path: string; watcher: FSWatcher } | null {
  try {
    const watcher = watch(path, bell);
    watcher.on('error', () => watcher.close()); // then the slow look has to do
    return { path, watcher };
  } catch {
    return null;
  }
}
