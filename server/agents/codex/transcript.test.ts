import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brief } from '../../../e2e/kit/brief';
import { locate, read } from './transcript';

const sample = readFileSync(new URL('./transcript.sample.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const shown = (record: unknown) => read(record).map(brief);

describe('what the rollout of Codex shows', () => {
  it('as recorded from 0.171', () => {
    expect(sample.flatMap((line) => shown(JSON.parse(line)))).toMatchInlineSnapshot(`
      [
        "user THINK about it",
        "thinking **Weighing options**⏎⏎Th",
        "reply You said: THINK about it",
        "turn-end 68",
        "user RUN_SHELL: echo hi; ls",
        "tool shell exec_command: echo hi; ls …",
        "tool shell Shell: echo hi; ls ok 0",
        "result weak ok Chunk ID: f605ea⏎Wall ti",
        "reply Done. Tool said: Chunk I",
        "turn-end 193",
        "user LONG: 2",
        "reply Line 1 of a long answer.",
        "turn-end 2056",
        "user ASK me",
        "tool question request_user_input: {"questions":[{"id":"col …",
        "result weak ok request_user_input is un",
        "reply Done. Tool said: request",
        "turn-end 77",
        "user LIMIT",
        "notice limit You’ve hit your usage li",
        "turn-end 51",
      ]
    `);
  });

  it('shows patches, refusals and an interruption', () => {
    const event = (payload: object) => shown({ type: 'event_msg', payload });
    const change = { type: 'update', unified_diff: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n+z' };
    const done = (item: object) => event({ type: 'item_completed', item });
    expect(done({ type: 'FileChange', id: 'i', status: 'completed', changes: { 'a.ts': change } })).toEqual([
      'tool edit apply_patch: a.ts a.ts +2 -1 ok',
    ]);
    const command = { type: 'CommandExecution', id: 'i', command: ['/bin/bash', '-lc', 'rm x'] };
    expect(done({ ...command, status: 'declined' })).toEqual(['tool shell Shell: rm x denied']);
    expect(done({ ...command, status: 'failed', exit_code: 2 })).toEqual(['tool shell Shell: rm x failed 2']);
    expect(event({ type: 'turn_aborted', turn_id: 't' })).toEqual(['notice interrupted Interrupted.']);
  });

  it('gives nothing for what it does not know', () => {
    for (const record of [
      null,
      7,
      {},
      { type: 'x' },
      { type: 'event_msg', payload: { type: 'y' } },
      undefined,
    ]) {
      expect(shown(record)).toEqual([]);
    }
    expect(
      shown({ type: 'event_msg', payload: { type: 'item_completed', item: { type: 'Dream' } } }),
    ).toEqual([]);
  });

  it('is looked for by ids only, never by a path that came as one', async () => {
    const place = { path: '', userHome: '/nowhere', env: {}, toolEnv: {}, dir: '', cwd: '', agent: null };
    expect(await locate({ ...place, vendorSession: '../x' })).toBeNull();
    expect(await locate({ ...place, vendorSession: 'not-a-uuid' })).toBeNull();
  });
});
