import { setImmediate as nextTurn } from 'node:timers/promises';
import fuzzysort, { type Snapshot } from 'fuzzysort';
import type { FoundFiles } from '../contract';

export interface FileSearchDeps {
  /** Paths of all files of a place, relative to it. */
  list(place: string): Promise<string[]>;
  /** Milliseconds, monotonic. */
  mono(): number;
}

export interface FileSearch {
  /**
   * The best matches for some letters of a path, best first; folders end with "/". An empty query gives what lies at
   * the top. The list is at most FRESH_MS old. Rejects as `list` does.
   */
  find(place: string, query: string): Promise<FoundFiles>;
  close(): void;
}

export const MAX_FOUND = 40;
/** A person types several letters a second, and new files are rare: one list serves a short burst of looks. */
const FRESH_MS = 5_000;
/** After this a list is forgotten: a large one takes tens of megabytes. */
const KEEP_MS = 60_000;
/** So many paths are searched at a stretch; at 200,000 the whole takes some 50 ms, which a terminal would feel. */
const STRETCH = 10_000;

interface Entry {
  at: number;
  used: number;
  paths: Promise<Index>;
}
interface Index {
  top: string[];
  stretches: Snapshot[];
}

export function createFileSearch(deps: FileSearchDeps): FileSearch {
  const entries = new Map<string, Entry>();
  const timer = setInterval(() => {
    for (const [folder, entry] of entries) {
      if (deps.mono() - entry.used > KEEP_MS) entries.delete(folder);
    }
  }, KEEP_MS);
  timer.unref();

  const index = (place: string): Promise<Index> => {
    const now = deps.mono();
    const known = entries.get(place);
    if (known && now - known.at < FRESH_MS) {
      known.used = now;
      return known.paths;
    }
    const entry: Entry = { at: now, used: now, paths: deps.list(place).then(build) };
    entries.set(place, entry);
    entry.paths.catch(() => entries.get(place) === entry && entries.delete(place));
    return entry.paths;
  };

  return {
    async find(place, query) {
      const { top, stretches } = await index(place);
      const wanted = query.trim();
      if (wanted === '') return { paths: top.slice(0, MAX_FOUND), more: top.length > MAX_FOUND };
      const found: { target: string; score: number }[] = [];
      let total = 0;
      for (const stretch of stretches) {
        const some = fuzzysort.go(wanted, stretch, { limit: MAX_FOUND, threshold: 0.2 });
        total += some.total;
        found.push(...some);
        await nextTurn();
      }
      // Among equals the shorter path is the one that was meant.
      found.sort((a, b) => b.score - a.score || a.target.length - b.target.length);
      return { paths: found.slice(0, MAX_FOUND).map(({ target }) => target), more: total > MAX_FOUND };
    },
    close: () => clearInterval(timer),
  };
}

async function build(files: readonly string[]): Promise<Index> {
  const folders = new Set<string>();
  const all: string[] = [];
  for (let from = 0; from < files.length; from += STRETCH) {
    for (const path of files.slice(from, from + STRETCH)) {
      for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
        const folder = path.slice(0, cut + 1);
        if (folders.has(folder)) break;
        folders.add(folder);
      }
      all.push(path);
    }
    await nextTurn();
  }
  for (const folder of folders) all.push(folder);
  const atTop = (path: string) => !path.slice(0, -1).includes('/');
  const top = all
    .filter(atTop)
    .sort((a, b) => Number(b.endsWith('/')) - Number(a.endsWith('/')) || a.localeCompare(b));
  const stretches: Snapshot[] = [];
  for (let from = 0; from < all.length; from += STRETCH) {
    stretches.push(fuzzysort.snapshot(all.slice(from, from + STRETCH)));
    await nextTurn();
  }
  return { top, stretches };
}
