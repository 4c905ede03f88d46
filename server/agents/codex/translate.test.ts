import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { VendorEvent } from '../port';
import { describeRequest, plainCommand } from './requests';
import { firstSentence, Translator } from './translate';

/** What codex-cli 0.171.0 really sent, one message a line, with the name of the turn added. */
const recorded: { turn: string; method: string; id?: number; params: unknown }[] = readFileSync(
  new URL('__fixtures__/turns.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const CWD = '/tmp/repo';
const translator = () => new Translator({ cwd: CWD, now: () => 7 });

/** Every event of a recorded turn, requests included. */
function replay(turn: string, into = translator()): VendorEvent[] {
  const messages = recorded.filter((message) => message.turn === turn);
  expect(messages.length).toBeGreaterThan(3); // the control: a misspelt name replays nothing
  return messages.flatMap((message) =>
    message.id === undefined
      ? into.notification(message.method, message.params)
      : (describeRequest(message.method, message.params, {
          cwd: CWD,
          changesOf: (item) => into.changesOf(item),
        })?.asked ?? []),
  );
}
const states = (events: VendorEvent[]) =>
  events
    .flatMap((event) => (event.type === 'state' ? [event.state] : []))
    .filter((state, i, all) => state !== all[i - 1]);
const lines = (events: VendorEvent[]) =>
  events.flatMap((event) => (event.type === 'activity' ? [event.line] : []));
const asked = (events: VendorEvent[]) => events.flatMap((event) => (event.type === 'asked' ? [event] : []));
const lastState = (events: VendorEvent[]) => events.filter((event) => event.type === 'state').at(-1);

describe('turns of the real app-server', () => {
  it('a command that was allowed', () => {
    const events = replay('command');
    expect(states(events)).toEqual(['working', 'needs-you', 'working', 'finished']);
    expect(lines(events)).toEqual(['$ touch done.txt']);
    expect(asked(events)).toMatchObject([{ kind: 'command', tool: 'Shell', body: 'touch done.txt' }]);
    const notes = Object.assign({}, ...events.filter((event) => event.type === 'noted'));
    expect(notes.contextPct).toBe(3);
    expect(notes.recap).toMatch(/^Done\./);
    expect(notes.quota).toMatchObject({ at: 7, source: 'app-server' });
  });

  it('a command that was refused does not read as one that ran', () => {
    expect(lines(replay('refused'))).toEqual(['Refused: $ touch no.txt']);
  });

  it('a command that failed', () => {
    expect(lines(replay('failing'))).toEqual(['$ ls /nowhere; exit 3', '$ ls /nowhere; exit 3 (exit 3)']);
  });

  it('a patch, shown in full', () => {
    const events = replay('patch');
    expect(asked(events)[0]).toMatchObject({
      kind: 'edit',
      answerable: true,
      body: 'Add hello.txt\n+hello from the fake model\n+second line',
    });
    expect(lines(events)).toEqual(['Add hello.txt +2 −0']);
  });

  it('more permissions', () => {
    const request = recorded.find((m) => m.turn === 'permissions' && m.id !== undefined)!;
    const described = describeRequest(request.method, request.params, { cwd: CWD, changesOf: () => null });
    expect(described?.asked).toMatchObject({ kind: 'tool', why: 'to fetch', answerable: true });
    expect(described?.reply?.('allow', {})).toEqual({
      permissions: { network: { enabled: true } },
      scope: 'turn',
    });
    expect(described?.reply?.('deny', {})).toEqual({ permissions: {}, scope: 'turn' });
  });

  it('a question comes with its answers, and an interruption is no error', () => {
    const events = replay('question');
    expect(asked(events)).toMatchObject([{ kind: 'question', title: 'Asks 2 questions', answerable: true }]);
    expect(states(events)).toEqual(['working', 'needs-you', 'idle']);
  });

  it('a plan', () => {
    expect(lastState(replay('plan'))).toMatchObject({
      state: 'finished',
      detail: expect.stringContaining('plan'),
    });
    expect(lastState(replay('command'))?.detail).not.toContain('plan');
  });

  it('a usage limit, with the reset of the window that is used up', () => {
    const last = lastState(replay('limit'));
    const sent = recorded.find((m) => m.turn === 'limit' && m.method === 'account/rateLimits/updated')!;
    const { rateLimits } = sent.params as { rateLimits: { primary: { resetsAt: number } } };
    expect(last).toMatchObject({ state: 'limit', resetsAt: rateLimits.primary.resetsAt * 1000 });
    expect(last?.reason).toMatch(/usage limit/);
  });

  it('a failure, after retries that count as work', () => {
    const events = replay('failure');
    expect(states(events)).toEqual(['working', 'error']);
    expect(events).toContainEqual(
      expect.objectContaining({ detail: expect.stringContaining('Reconnecting... 5/5') }),
    );
  });
});

describe('what cannot be recorded here', () => {
  const failed = (codexErrorInfo: unknown) =>
    lastState(
      translator().notification('turn/completed', {
        turn: { id: 't', items: [], status: 'failed', error: { message: 'no', codexErrorInfo } },
      }),
    )?.state;

  it('unauthorized is signed out, whichever way it is said', () => {
    expect(failed('unauthorized')).toBe('signed-out');
    expect(failed({ responseStreamConnectionFailed: { httpStatusCode: 401 } })).toBe('signed-out');
    expect(failed({ responseStreamConnectionFailed: { httpStatusCode: 500 } })).toBe('error');
    expect(failed({ somethingNew: null })).toBe('error');
    expect(failed(null)).toBe('error');
  });

  const turn = (status: 'completed' | 'interrupted' | 'inProgress', completedAt: number | null) => ({
    id: 't',
    items: [],
    status,
    completedAt,
  });
  const seeded = (status: object, last: ReturnType<typeof turn> | null, reported: string | null = null) =>
    lastState(translator().seed(status as { type: string }, last, reported))?.state;

  it('takes up a thread as it is', () => {
    expect(seeded({ type: 'idle' }, null)).toBe('idle');
    expect(seeded({ type: 'idle' }, turn('completed', 1))).toBe('finished');
    expect(seeded({ type: 'idle' }, turn('completed', 1), 't')).toBe('idle');
    expect(seeded({ type: 'active', activeFlags: [] }, turn('inProgress', null))).toBe('working');
    expect(seeded({ type: 'active', activeFlags: ['waitingOnApproval'] }, turn('inProgress', null))).toBe(
      'needs-you',
    );
    // A person's Esc ends a turn; a server that died leaves it without an end.
    expect(seeded({ type: 'idle' }, turn('interrupted', 1))).toBe('idle');
    expect(seeded({ type: 'idle' }, turn('interrupted', null))).toBe('error');
  });

  it('ignores what it does not know', () => {
    expect(translator().notification('turn/started', { turn: 5 })).toEqual([]);
    expect(translator().notification('something/new', null)).toEqual([]);
    expect(
      translator().notification('account/rateLimits/updated', {
        rateLimits: { limitId: 'one_feature', primary: { usedPercent: 100 } },
      }),
    ).toEqual([]);
  });
});

describe('requests', () => {
  const place = { cwd: CWD, changesOf: () => null };
  const command = (over: object) =>
    describeRequest(
      'item/commandExecution/requestApproval',
      { itemId: 'i', startedAtMs: 5, kind: 'command', command: "/bin/bash -lc 'ls'", cwd: CWD, ...over },
      place,
    );

  it('offers an answer only to what it can show in full', () => {
    expect(command({})?.asked).toMatchObject({ vendorRef: 'i:5', body: 'ls', answerable: true });
    for (const over of [
      { kind: 'writeStdin' },
      { command: null },
      { networkApprovalContext: { host: 'example.org', protocol: 'https' } },
      { availableDecisions: ['cancel'] },
    ]) {
      expect(command(over)).toMatchObject({ asked: { answerable: false }, reply: null });
    }
    const patch = describeRequest('item/fileChange/requestApproval', { itemId: 'i' }, place);
    expect(patch).toMatchObject({ asked: { answerable: false }, reply: null });
  });

  it('says where a command runs and what else it gets', () => {
    expect(command({ cwd: '/etc' })?.asked).toMatchObject({ body: 'ls', cwd: '/etc' });
    expect(command({ additionalPermissions: { network: { enabled: true } } })?.asked.body).toContain(
      '{"network":{"enabled":true}}',
    );
  });

  it('a second request of one item has a name of its own', () => {
    expect(command({ startedAtMs: 6 })?.asked.vendorRef).not.toBe(command({})?.asked.vendorRef);
    expect(command({ approvalId: 'a' })?.asked.vendorRef).toBe('i:a:5');
  });

  it('is silent about what is not for a person', () => {
    expect(describeRequest('account/chatgptAuthTokens/refresh', {}, place)).toBe(null);
    expect(describeRequest('item/tool/call', { itemId: 'i' }, place)).toBe(null);
  });

  it('unwraps a shell only where nothing has to be decoded', () => {
    expect(plainCommand("/bin/bash -lc 'a && b'")).toBe('a && b');
    expect(plainCommand("bash -c 'a'")).toBe('a');
    expect(plainCommand(`/bin/bash -lc 'a'"'"'b'`)).toBe(`/bin/bash -lc 'a'"'"'b'`);
    expect(plainCommand("bash -lc 'a' extra")).toBe("bash -lc 'a' extra");
    expect(plainCommand('rm -rf x')).toBe('rm -rf x');
  });
});

it('takes the first sentence for one line', () => {
  expect(firstSentence('## Done\n\nMore.')).toBe('Done');
  expect(firstSentence('Fixed v1.2 of it. Next: tests.')).toBe('Fixed v1.2 of it.');
  expect(firstSentence('')).toBe('');
  expect(firstSentence('x'.repeat(500))).toHaveLength(240);
});
