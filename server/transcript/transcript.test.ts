import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Followed, followLines, generationOf, pageBefore, readLines, recordAt, tailEnd } from './index';

let dir: string;
let path: string;
const opened: FileHandle[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'od-tr-'));
  path = join(dir, 'a.jsonl');
});
afterEach(async () => {
  for (const file of opened.splice(0)) await file.close();
  rmSync(dir, { recursive: true, force: true });
});
const file = async () => {
  const handle = await open(path, 'r');
  opened.push(handle);
  return handle;
};
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${JSON.stringify({ n: from + i })}\n`).join('');
const numbers = (found: { value: unknown }[]) => found.map((line) => (line.value as { n: number }).n);

describe('a transcript', () => {
  it('is read from its tail in pages that join without a gap or a double', async () => {
    writeFileSync(path, lines(0, 5_000));
    const handle = await file();
    let end = await tailEnd(handle, (await handle.stat()).size);
    const seen: number[][] = [];
    while (end > 0) {
      const page = await pageBefore(handle, end, 7_000);
      expect(page.to).toBe(end);
      expect(page.lines[0]?.offset).toBe(page.from);
      seen.unshift(numbers(page.lines));
      end = page.from;
    }
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.flat()).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
  });

  it('gives the one record that begins at an offset, and none from the middle, the end or what is too long', async () => {
    const large = `${JSON.stringify({ n: 1, long: 'x'.repeat(300_000) })}\n`;
    const huge = `${JSON.stringify({ long: 'x'.repeat(8 * 1024 * 1024) })}\n`;
    writeFileSync(path, `${lines(0, 1)}${large}${huge}{"n":3`);
    const handle = await file();
    const start = lines(0, 1).length;
    expect(await recordAt(handle, 0)).toEqual({ n: 0 });
    expect(await recordAt(handle, start)).toMatchObject({ n: 1 });
    expect(await recordAt(handle, start + 1)).toBeUndefined();
    expect(await recordAt(handle, start + large.length)).toBeUndefined();
    expect(await recordAt(handle, start + large.length + huge.length)).toBeUndefined();
    expect(await recordAt(handle, 1e9)).toBeUndefined();
  });

  it('holds back a last line that is still being written', async () => {
    writeFileSync(path, `${lines(0, 3)}{"n":3`);
    const handle = await file();
    const { size } = await handle.stat();
    const end = await tailEnd(handle, size);
    expect(numbers((await readLines(handle, 0, size)).lines)).toEqual([0, 1, 2]);
    expect(numbers((await pageBefore(handle, end, 1_000_000)).lines)).toEqual([0, 1, 2]);
    expect((await readLines(handle, 0, size)).to).toBe(end);
  });

  it('gives garbage, blank and over-long lines without failing, and what lies around them', async () => {
    const long = `"${'x'.repeat(9 * 1024 * 1024)}"\n`;
    writeFileSync(path, `${lines(0, 1)}not json\n\n${long}${lines(1, 2)}`);
    const handle = await file();
    const end = await tailEnd(handle, (await handle.stat()).size);
    const found = (await readLines(handle, 0, end)).lines;
    expect(found.map((line) => [line.tooLong, typeof line.value])).toEqual([
      [false, 'object'],
      [false, 'undefined'],
      [true, 'undefined'],
      [false, 'object'],
    ]);
    expect(found[2]?.bytes).toBe(long.length - 1);
    // A page that would begin inside the long line begins at its start.
    const page = await pageBefore(handle, end, 100);
    expect(page.lines.map((line) => line.tooLong)).toEqual([true, false]);
  });

  it('has another name when it is another file, and keeps its name while it grows', async () => {
    writeFileSync(path, '');
    expect(await generationOf(await file())).toBeNull();
    appendFileSync(path, lines(0, 1));
    const name = await generationOf(await file());
    appendFileSync(path, lines(1, 500));
    expect(await generationOf(await file())).toBe(name);
    writeFileSync(join(dir, 'b'), lines(7, 500));
    renameSync(join(dir, 'b'), path);
    expect(await generationOf(await file())).not.toBe(name);
  });
});

describe('following', () => {
  const follow = (after: { generation: string; to: number } | null = null) => {
    const stop = new AbortController();
    const updates = followLines({ locate: async () => path, after, tailBytes: 10_000, signal: stop.signal });
    const next = async () => (await updates.next()).value as Followed;
    return { next, stop: () => stop.abort(), updates };
  };

  it('tells that there is nothing yet, the tail, what is appended, and a new tail after a cut or a replacement', async () => {
    const { next, stop, updates } = follow();
    expect(await next()).toEqual({ type: 'none', why: 'not-yet' });
    writeFileSync(path, lines(0, 2));
    expect(await next()).toMatchObject({ type: 'tail', from: 0 });
    appendFileSync(path, '{"n":');
    appendFileSync(path, '2}\n');
    let more = await next();
    while (more.type === 'more' && more.lines.length === 0) more = await next();
    expect(more.type === 'more' && numbers(more.lines)).toEqual([2]);
    truncateSync(path, 8);
    expect(await next()).toMatchObject({ type: 'tail', to: 8 });
    writeFileSync(join(dir, 'b'), lines(50, 52));
    renameSync(join(dir, 'b'), path);
    const tail = await next();
    expect(tail.type === 'tail' && numbers(tail.lines)).toEqual([50, 51]);
    rmSync(path);
    expect(await next()).toEqual({ type: 'none', why: 'not-yet' });
    stop();
    expect((await updates.next()).done).toBe(true);
  });

  it('goes on where a reader was, and starts over for a reader of another file', async () => {
    writeFileSync(path, lines(0, 3));
    const generation = (await generationOf(await file())) ?? '';
    const again = follow({ generation, to: 16 });
    const more = await again.next();
    expect(more.type === 'more' && numbers(more.lines)).toEqual([2]);
    again.stop();
    const other = follow({ generation: 'x', to: 16 });
    expect((await other.next()).type).toBe('tail');
    other.stop();
  });
});
