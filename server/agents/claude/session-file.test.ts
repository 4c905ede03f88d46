import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followSessionFile } from './session-file';

const dir = mkdtempSync(join(tmpdir(), 'od-session-file-'));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

it('sees two writes of the same moment, and tells nothing twice', async () => {
  const moment = new Date();
  const say = (status: string) => {
    mkdirSync(join(dir, 'sessions'), { recursive: true });
    writeFileSync(join(dir, 'sessions/7.json'), JSON.stringify({ pid: 7, status }));
    utimesSync(join(dir, 'sessions/7.json'), moment, moment);
  };
  const told: string[] = [];
  say('busy');
  const stop = followSessionFile(
    dir,
    async () => 7,
    ({ status }) => told.push(status),
    () => moment.getTime(),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(['busy']);
  say('idle');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual(['busy', 'idle']);
  stop();
});
