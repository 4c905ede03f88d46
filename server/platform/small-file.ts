import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const MAX = 1024 * 1024;

/**
 * The bytes of a small regular file; null for anything else, unreadable or too large. Opened without waiting: a FIFO
 * that a repository puts in a file's place would hang us for ever.
 */
export async function readSmall(path: string, max = MAX): Promise<Buffer | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > max) return null;
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
