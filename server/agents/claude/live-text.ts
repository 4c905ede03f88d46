import { type FSWatcher, watch, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { LiveText } from '../../contract';

export const LIVE_FILE = 'live.jsonl';

/** One completed line or more of what the agent says; `delta` is text as it is drawn (2.1.197). */
const Display = z.object({
  message_id: z.string(),
  index: z.number(),
  delta: z.string(),
});

/** The whole conversation's worth would never be read again; beyond this the file begins anew. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Follows the file into which the display hook writes, and tells the text so far of the message that is being said.
 * Begins with an empty file: what was said before this observer is in the transcript. Returns the function that ends it.
 */
export function followLiveText(dir: string, told: (live: LiveText) => void): () => void {
  const path = `${dir}/${LIVE_FILE}`;
  let position = 0;
  let rest = '';
  let current: { id: string; parts: string[] } | null = null;
  let reading = false;
  let again = false;
  let stopped = false;
  const begin = () => {
    writeFileSync(path, '', { mode: 0o600 });
    position = 0;
    rest = '';
  };

  const take = (line: string) => {
    let parsed: ReturnType<typeof Display.safeParse>;
    try {
      parsed = Display.safeParse(JSON.parse(line));
    } catch {
      return;
    }
    if (!parsed.success) return;
    const { message_id: id, index, delta } = parsed.data;
    if (current?.id !== id) current = { id, parts: [] };
    // Hooks are processes: two may write in the wrong order, which their number tells.
    current.parts[index] = delta;
    told({ ref: id, text: Array.from(current.parts, (part) => part ?? '').join('') });
  };
  const look = async () => {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    try {
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        if (size < position) position = 0;
        const buffer = Buffer.alloc(size - position);
        await file.read(buffer, 0, buffer.length, position);
        position = size;
        const lines = (rest + buffer.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        if (!stopped) for (const line of lines) if (line.trim()) take(line);
        if (size > MAX_BYTES && rest === '') begin();
      } finally {
        await file.close();
      }
    } catch {
      // The session's folder went with the session.
    } finally {
      reading = false;
      if (again && !stopped) {
        again = false;
        void look();
      }
    }
  };

  let watcher: FSWatcher | null = null;
  try {
    begin();
    watcher = watch(path, () => void look());
    watcher.on('error', () => watcher?.close());
  } catch {
    // Without a watch there is no live text; the transcript has it a moment later.
  }
  return () => {
    stopped = true;
    watcher?.close();
  };
}
