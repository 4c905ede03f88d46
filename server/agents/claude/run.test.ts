import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { SessionId } from '../../contract';
import type { LaunchInput, RunContext, VendorEvent } from '../port';
import { launch } from './launch';
import { ClaudeRun } from './run';

const dir = mkdtempSync(join(tmpdir(), 'od-claude-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function watch() {
  const events: VendorEvent[] = [];
  const run = new ClaudeRun({
    sessionId: SessionId.parse('sessionaaaaaa'),
    dir,
    cwd: '/repo/tree',
    env: {},
    userHome: dir,
    pane: { pid: async () => 4711, screen: async () => [] },
    emit: (event: VendorEvent) => events.push(event),
    now: () => 1,
  } as unknown as RunContext);
  const hook = (event: string, payload: unknown) =>
    run.hook({ event, callId: event, payload, gone: new AbortController().signal });
  return { run, events, hook };
}

writeFileSync(join(dir, 'claude'), '', { mode: 0o755 });
const resume = (id: string) =>
  launch({
    resume: id,
    path: dir,
    dir,
    mode: 'build',
    permission: 'default',
    prompt: '',
    hookCommand: (event: string) => event,
  } as unknown as LaunchInput);

describe('what any process of a session can tell us', () => {
  it('names a conversation only by what can be no option and no path', async () => {
    const { run, events, hook } = watch();
    const noted = () => events.flatMap((event) => (event.type === 'noted' ? [event.vendorSession] : []));
    for (const id of [
      '--dangerously-skip-permissions',
      '-c',
      '../../x',
      'a/b',
      '.',
      '',
      'a'.repeat(101),
      'a\nb',
    ]) {
      await hook('SessionStart', { session_id: id });
      await expect(resume(id)).rejects.toThrow(/no name of one/);
    }
    expect(noted()).toEqual([]);
    await hook('SessionStart', { session_id: '0b2e8a4c-4c1e-4f6e-9d5e-0123456789ab' });
    expect(noted()).toEqual(['0b2e8a4c-4c1e-4f6e-9d5e-0123456789ab']);
    expect((await resume('0b2e8a4c-4c1e')).argv.slice(-2)).toEqual(['--resume', '0b2e8a4c-4c1e']);
    await run.close();
  });

  it('says in which folder a command would run, when the shell has moved', async () => {
    const { run, events, hook } = watch();
    const ask = (cwd: string) =>
      hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm -rf build' }, cwd });
    void ask('/');
    void ask('/repo/tree');
    const asked = events.flatMap((event) => (event.type === 'asked' ? [event.cwd] : []));
    expect(asked).toEqual(['/', undefined]);
    await run.close();
  });
});

describe('a hook and the session file disagree', () => {
  const say = (status: string) => {
    mkdirSync(join(dir, '.claude/sessions'), { recursive: true });
    writeFileSync(
      join(dir, '.claude/sessions/4711.json'),
      JSON.stringify({ pid: 4711, status, statusUpdatedAt: 0 }),
    );
  };
  const states = (events: VendorEvent[]) =>
    events.flatMap((event) => (event.type === 'state' ? [event.state] : []));

  it('a hook that came after the end of its turn does not stay true', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const [status, expected] of [
        ['idle', 'idle'],
        ['waiting', 'needs-you'],
        ['busy', 'working'], // the control: a hook that is right is not doubted
      ] as const) {
        say(status);
        const { run, events, hook } = watch();
        await vi.advanceTimersByTimeAsync(400);
        await hook('UserPromptSubmit', { prompt: 'go' });
        expect(states(events).at(-1)).toBe('working');
        await vi.advanceTimersByTimeAsync(4_000);
        expect(states(events).at(-1)).toBe(expected);
        if (expected !== 'working') expect(events.at(-1)).toMatchObject({ anew: true });
        await run.close();
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('an end is said once: nothing holds it up again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      say('idle');
      const { run, events, hook } = watch();
      await vi.advanceTimersByTimeAsync(400);
      await hook('UserPromptSubmit', { prompt: 'go' });
      await hook('Stop', {});
      const said = states(events).length;
      await vi.advanceTimersByTimeAsync(4_000);
      expect(states(events).slice(said - 1)).toEqual(['finished']);
      await run.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('what a subagent does after the turn ended is no new turn', async () => {
    const { run, events, hook } = watch();
    await hook('UserPromptSubmit', { prompt: 'go' });
    await hook('Stop', { background_tasks: [{}] });
    await hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, agent_id: 'a1' });
    expect(states(events).at(-1)).toBe('waiting');
    expect(events.at(-1)).toEqual({ type: 'activity', line: 'Bash ls' });
    await hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
    expect(states(events).at(-1)).toBe('working');
    await run.close();
  });
});
