/*
 * Opening a conversation at its end and paging back, for a record of 1 MB and one of 1 GB in the same run, and what the
 * process holds while 10,000 records are appended and followed.
 */
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followLines, pageBefore, tailEnd } from '../server/transcript';
import { percentile, times } from './kit/stats';

const PAGE = 192 * 1024;
const BUDGET_MS = 300;
const APPENDED = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'od-bench-'));
const record = (n: number) =>
  `${JSON.stringify({ type: 'assistant', uuid: `u${n}`, message: { content: [{ type: 'text', text: 'words '.repeat(60) }] } })}\n`;
const rssMb = () => process.memoryUsage().rss / 1024 / 1024;

try {
  const make = (name: string, bytes: number) => {
    const path = join(folder, name);
    const block = Array.from({ length: 2_000 }, (_, i) => record(i)).join('');
    while ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < bytes) appendFileSync(path, block);
    return path;
  };
  const tail = async (path: string) => {
    const began = performance.now();
    const file = await open(path, 'r');
    const end = await tailEnd(file, (await file.stat()).size);
    const page = await pageBefore(file, end, PAGE);
    await pageBefore(file, page.from, PAGE);
    await file.close();
    return performance.now() - began;
  };
  const median = async (path: string) => {
    const took: number[] = [];
    for (let i = 0; i < 9; i++) took.push(await tail(path));
    return percentile(took, 50);
  };
  const small = await median(make('small.jsonl', 1024 * 1024));
  const large = make('large.jsonl', 1024 * 1024 * 1024);
  const before = rssMb();
  const big = await median(large);
  console.log('\nthe tail and one page before it');
  console.table({
    '1 MB': { median: `${small.toFixed(1)} ms` },
    '1 GB': { median: `${big.toFixed(1)} ms (≤ ${BUDGET_MS} ms) ${big <= BUDGET_MS ? 'ok' : 'OVER'}` },
    ratio: { median: times(big / small) },
    'memory gained': { median: `${(rssMb() - before).toFixed(1)} MB` },
  });

  const growing = make('growing.jsonl', 1024 * 1024);
  const stop = new AbortController();
  const lines = followLines({
    locate: async () => growing,
    after: null,
    tailBytes: PAGE,
    signal: stop.signal,
  });
  await lines.next();
  const at: number[] = [];
  let seen = 0;
  for (let i = 0; i < APPENDED; i += 100) {
    appendFileSync(growing, Array.from({ length: 100 }, (_, k) => record(i + k)).join(''));
    while (seen < i + 100) {
      const { value } = await lines.next();
      if (value?.type === 'more') seen += value.lines.length;
    }
    if (i % 1_000 === 0) at.push(rssMb());
  }
  stop.abort();
  console.log(`\nfollowing ${APPENDED} appended records`);
  console.table({
    'RSS MB': {
      'after 1,000': at[1]?.toFixed(0),
      'after all': at.at(-1)?.toFixed(0),
      ratio: times((at.at(-1) ?? 0) / (at[1] ?? 1)),
    },
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
