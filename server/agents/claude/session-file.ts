import { statSync } from 'node:fs';
import { readIfThere } from '../../platform';
import { SessionFile } from './wire';

const POLL_MS = 300;
/** Two writes this close may bear the same time, so a file this young is read again though its time did not change. */
const YOUNG_MS = 1_000;

/**
 * Follows the live file the CLI keeps about itself. It heals what hooks never say: Esc, "No" and a rejected plan fire
 * none. One stat a poll; the file is read only when it changed. Returns the function that ends it.
 */
export function followSessionFile(
  configDir: string,
  pid: () => Promise<number | null>,
  told: (status: SessionFile) => void,
  now: () => number,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let file: string | null = null;
  let last = { mark: '', text: '' };
  const look = async () => {
    try {
      if (file === null) {
        const id = await pid();
        if (id !== null) file = `${configDir}/sessions/${id}.json`;
      }
      if (file !== null) {
        const { mtimeMs, ino } = statSync(file);
        const mark = `${ino} ${mtimeMs}`;
        if (mark !== last.mark || now() - mtimeMs < YOUNG_MS) {
          const text = readIfThere(file) ?? 'null';
          const parsed = SessionFile.safeParse(JSON.parse(text));
          if (parsed.success && !stopped && (mark !== last.mark || text !== last.text)) {
            last = { mark, text };
            told(parsed.data);
          }
        }
      }
    } catch {
      // Not there yet, or half written: the next look sees it.
    }
    if (!stopped) timer = setTimeout(look, POLL_MS);
  };
  void look();
  return () => {
    stopped = true;
    if (timer) clearTimeout(timer);
  };
}
