import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodexBed, until } from './testing';
import { codex } from './vendor';

/** The real CLI in a real pane; only the model behind it is ours. */
describe('Codex, the real CLI', { timeout: 90_000 }, () => {
  let bed: CodexBed;
  beforeAll(async () => {
    bed = await new CodexBed().start();
  }, 60_000);
  afterAll(() => bed?.end(), 60_000);

  const proof = (name: string) => join(bed.cwd, name);
  const read = (name: string) => (existsSync(proof(name)) ? readFileSync(proof(name), 'utf8') : null);
  const firstAsk = (t: { asked(): { vendorRef: string }[] }, at = 0) =>
    until('it asks', () => t.asked()[at]) as Promise<
      ReturnType<Awaited<ReturnType<typeof bed.begin>>['asked']>[0]
    >;

  /** As a person does: looks at the dialog and presses the key, once more if it is still there. */
  const sayYes = async (pane: string) => {
    const open = () => bed.screen(pane).includes('Would you like to run');
    await until('the dialog', open);
    await until('the dialog is gone', async () => {
      if (open()) bed.keys(pane, 'y');
      await new Promise((resolve) => setTimeout(resolve, 500));
      return !open();
    });
  };

  it('is found with its version; a provider of its own makes the login unknown', async () => {
    const found = await codex.detect(bed.input());
    expect(found).toMatchObject({ vendor: 'codex', version: '0.171.0', signedIn: 'unknown', problem: null });
    const none = await codex.detect({ ...bed.input(), path: '/nowhere' });
    expect(none).toMatchObject({ path: null, problem: null });
  });

  it('takes the prompt, asks, is allowed, runs the command once and finishes', async () => {
    const before = readFileSync(bed.config, 'utf8');
    const t = await bed.begin({ prompt: 'RUN_SHELL: echo $OFFDECK_SESSION_ID >> allowed.txt' });
    const ask = await firstAsk(t);
    expect(ask).toMatchObject({
      kind: 'command',
      body: 'echo $OFFDECK_SESSION_ID >> allowed.txt',
      why: 'Fake model wants to run this outside the sandbox. Allow?',
      answerable: true,
    });
    expect(t.events).toContainEqual({ type: 'prompt-accepted' });
    await until('needs you', () => t.state() === 'needs-you');
    expect(read('allowed.txt')).toBe(null); // the control: nothing runs before the answer
    expect(await t.run.answer(ask.vendorRef, 'allow', '')).toBe('taken');
    expect(await t.run.answer(ask.vendorRef, 'allow', '')).toBe('gone');
    await until('finished', () => t.state() === 'finished');
    expect(read('allowed.txt')).toBe(`${t.input.sessionId}\n`);
    expect(t.settled()).toEqual([expect.objectContaining({ vendorRef: ask.vendorRef, how: 'confirmed' })]);
    expect(t.events).toContainEqual({ type: 'activity', line: '$ echo $OFFDECK_SESSION_ID >> allowed.txt' });
    const notes = Object.assign({}, ...t.events.filter((event) => event.type === 'noted'));
    expect(notes).toMatchObject({ model: 'gpt-5.5', contextPct: 3, vendorSession: t.plan.vendorSession });
    expect(notes.recap).toMatch(/^Done\./);
    expect(notes.quota.windows).toMatchObject([
      { label: '5 hours', usedPct: 42 },
      { label: '7 days', usedPct: 17 },
    ]);
    // The terminal shows the same conversation, without a screen of its own in the way.
    await until('the pane shows it', () => bed.screen(t.pane).includes('Done. Tool said'));
    // Nothing of ours is in the person's own settings; what the TUI notes about itself is its own.
    const after = readFileSync(bed.config, 'utf8');
    expect(after.startsWith(before.trimEnd())).toBe(true);
    expect(after).not.toMatch(/projects|trust_level|OFFDECK|model_migrations/);
  });

  it('tells the model of a denial, and the turn goes on', async () => {
    const t = await bed.begin({ prompt: 'RUN_SHELL: touch denied.txt' });
    const ask = await firstAsk(t);
    expect(await t.run.answer(ask.vendorRef, 'deny', 'no')).toBe('taken');
    await until('finished', () => t.state() === 'finished');
    expect(read('denied.txt')).toBe(null);
    expect(bed.model()).toContain('rejected by user');
    expect(t.events).toContainEqual({ type: 'activity', line: 'Refused: $ touch denied.txt' });
  });

  it('sees an answer given in the terminal, and then has nothing to answer', async () => {
    const t = await bed.begin({ prompt: 'RUN_SHELL: echo once >> terminal.txt' });
    const ask = await firstAsk(t);
    await sayYes(t.pane);
    await until('finished', () => t.state() === 'finished');
    expect(t.settled()).toEqual([
      expect.objectContaining({ vendorRef: ask.vendorRef, how: 'answered-elsewhere' }),
    ]);
    expect(await t.run.answer(ask.vendorRef, 'deny', '')).toBe('gone');
    expect(read('terminal.txt')).toBe('once\n');
  });

  it('asks again under the same name after a restart of the host, and takes the answer then', async () => {
    const t = await bed.begin({ prompt: 'RUN_SHELL: echo once >> restart.txt' });
    const ask = await firstAsk(t);
    await t.run.close();
    expect(await t.run.answer(ask.vendorRef, 'allow', '')).toBe('gone');
    // The host had no time to note that the prompt was taken: it must not be sent twice.
    const again = bed.attach(t.input, t.plan, t.pane, t.input.prompt);
    const repeated = await firstAsk(again);
    expect(repeated).toEqual(ask);
    expect(await again.run.answer(repeated.vendorRef, 'allow', '')).toBe('taken');
    await until('finished', () => again.state() === 'finished');
    expect(read('restart.txt')).toBe('once\n');
    expect(again.asked()).toHaveLength(1);
    // A third host finds the same turn ended and does not call it news.
    await again.run.close();
    const third = bed.attach(t.input, t.plan, t.pane, t.input.prompt);
    await until('known', () => third.state());
    expect(third.state()).toBe('idle');
    await until('not sent again', () => third.events.some((event) => event.type === 'prompt-accepted'));
    expect(read('restart.txt')).toBe('once\n');
  });

  it('settles what was answered in the terminal while the host was away', async () => {
    const t = await bed.begin({ prompt: 'RUN_SHELL: echo once >> away.txt' });
    await firstAsk(t);
    await t.run.close();
    await sayYes(t.pane);
    await until('it ran', () => read('away.txt'));
    const again = bed.attach(t.input, t.plan, t.pane, '');
    await until('settled', () =>
      again.events.some((event) => event.type === 'settled' && event.vendorRef === 'all'),
    );
    await until('finished', () => again.state() === 'finished');
    expect(again.asked()).toEqual([]);
  });

  it('shows the whole patch of a file change, before and after a restart', async () => {
    const t = await bed.begin({ prompt: 'WRITE', permission: 'read-only' });
    const ask = await firstAsk(t);
    expect(ask).toMatchObject({
      kind: 'edit',
      body: 'Add hello.txt\n+hello from the fake model\n+second line',
      answerable: true,
    });
    await t.run.close();
    const again = bed.attach(t.input, t.plan, t.pane, '');
    const repeated = await firstAsk(again);
    expect(repeated).toEqual(ask);
    expect(await again.run.answer(repeated.vendorRef, 'allow', '')).toBe('taken');
    await until('finished', () => again.state() === 'finished');
    expect(read('hello.txt')).toContain('hello from');
    expect(again.events).toContainEqual({ type: 'activity', line: 'Add hello.txt +2 −0' });
  });

  it('gives a question with its answers, and takes none for an empty one', async () => {
    const t = await bed.begin({ prompt: 'ASK', mode: 'planner' });
    const ask = await firstAsk(t);
    expect(ask).toMatchObject({
      kind: 'question',
      answerable: true,
      form: { type: 'questions', refusable: false },
    });
    expect(ask.body).toContain('Which colour should the button have?');
    expect(t.state()).toBe('needs-you');
    await t.run.interrupt();
    await until('idle', () => t.state() === 'idle');
    await until('settled', () => t.settled().length === 1);
  });

  it('heals after Esc in the terminal', async () => {
    const t = await bed.begin({ prompt: 'LONG: 120' });
    await until('working', () => t.state() === 'working');
    await until('the pane shows it', () => /Line \d+ of/.test(bed.screen(t.pane)));
    bed.keys(t.pane, 'Escape');
    await until('idle', () => t.state() === 'idle');
    await expect(t.run.interrupt()).rejects.toThrow('Nothing runs here.');
  });

  it('names a usage limit and its end', async () => {
    const t = await bed.begin({ prompt: 'LIMIT' });
    await until('limit', () => t.state() === 'limit');
    const last = t.events.filter((event) => event.type === 'state').at(-1);
    expect(last?.reason).toMatch(/hit your usage limit/);
    const minutes = ((last?.resetsAt ?? 0) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(50);
    expect(minutes).toBeLessThan(61);
  });

  it('starts a dead app-server again, says what was lost and goes on', async () => {
    const t = await bed.begin({ prompt: 'RUN_SHELL: touch lost.txt' });
    const ask = await firstAsk(t);
    const starts = bed.started;
    process.kill(bed.server() ?? 0, 'SIGKILL');
    await until('unknown', () =>
      t.events.some((event) => event.type === 'state' && event.state === 'unknown'),
    );
    await until('what was lost', () => t.state() === 'error');
    expect(bed.started).toBe(starts + 1);
    expect(t.events.filter((event) => event.type === 'state').at(-1)?.reason).toMatch(
      /ended during the turn/,
    );
    expect(t.events).toContainEqual(expect.objectContaining({ type: 'settled', vendorRef: 'all' }));
    expect(await t.run.answer(ask.vendorRef, 'allow', '')).toBe('gone');
    await until('the terminal is back', () => bed.screen(t.pane).includes('Conversation interrupted'));
    bed.keys(t.pane, '-l', 'RUN_SAFE: echo $OFFDECK_SESSION_ID >> back.txt');
    await until('typed', () => bed.screen(t.pane).includes('back.txt'));
    await until('finished', async () => {
      if (t.state() === 'error') bed.keys(t.pane, 'Enter');
      await new Promise((resolve) => setTimeout(resolve, 400));
      return t.state() === 'finished';
    });
    // The terminal may have loaded the thread before we did, without what we tell it of its session: decision 0010.
    expect(['\n', `${t.input.sessionId}\n`]).toContain(read('back.txt'));
    expect(read('lost.txt')).toBe(null);
  });

  it('has no sandbox with full access, and one otherwise', async () => {
    const commit = 'git -c user.name=t -c user.email=t@t.invalid commit --allow-empty -qm x';
    const prompt = (name: string) => `RUN_SAFE: ${commit} && echo once >> ${name}`;
    const boxed = await bed.begin({ prompt: prompt('boxed.txt') });
    await until('finished', () => boxed.state() === 'finished');
    const t = await bed.begin({ prompt: prompt('full.txt'), permission: 'full' });
    await until('finished', () => t.state() === 'finished');
    expect(t.asked()).toEqual([]);
    expect(read('full.txt')).toBe('once\n');
    expect(read('boxed.txt')).toBe(null);
  });

  it('keeps two sessions on one server apart, and works in a folder nobody trusted', async () => {
    const starts = bed.started;
    const [a, b] = await Promise.all([
      bed.begin({ prompt: 'RUN_SHELL: echo $OFFDECK_SESSION_ID >> a.txt', trustedRoot: null }),
      bed.begin({ prompt: 'RUN_SHELL: echo $OFFDECK_SESSION_ID >> b.txt', trustedRoot: null }),
    ]);
    const [askA, askB] = [await firstAsk(a), await firstAsk(b)];
    expect(await a.run.answer(askB.vendorRef, 'allow', '')).toBe('gone');
    expect(await b.run.answer(askB.vendorRef, 'allow', '')).toBe('taken');
    await until('b finished', () => b.state() === 'finished');
    expect(a.state()).toBe('needs-you');
    expect(read('a.txt')).toBe(null);
    expect(await a.run.answer(askA.vendorRef, 'allow', '')).toBe('taken');
    await until('a finished', () => a.state() === 'finished');
    expect(read('a.txt')).toBe(`${a.input.sessionId}\n`);
    expect(read('b.txt')).toBe(`${b.input.sessionId}\n`);
    expect([a.asked(), b.asked()].map((list) => list.length)).toEqual([1, 1]);
    expect(bed.started).toBe(starts);
    expect(readFileSync(bed.config, 'utf8')).not.toMatch(/projects|trust_level/);
  });

  it('refuses what it cannot start', async () => {
    await expect(codex.launch(bed.input({ path: '/nowhere' }))).rejects.toMatchObject({
      code: 'missing-tool',
      hint: expect.stringContaining('npm install'),
    });
    await expect(codex.launch(bed.input({ permission: 'everything' }))).rejects.toMatchObject({
      code: 'bad-input',
    });
  });

  it('resumes an ended conversation', async () => {
    const t = await bed.begin({ prompt: 'Hello there.' });
    await until('finished', () => t.state() === 'finished');
    await t.run.close();
    bed.tmux('kill-pane', '-t', t.pane);
    const input = { ...t.input, resume: t.plan.vendorSession, prompt: '' };
    const { plan, pane } = await bed.open(input);
    expect(plan.vendorSession).toBe(t.plan.vendorSession);
    const again = bed.attach(input, plan, pane, '');
    await until('the pane shows it', () => bed.screen(pane).includes('You said: Hello there.'));
    await until('idle', () => again.state() === 'idle');
    await expect(codex.launch({ ...input, resume: '01a23183-48a2-7100-a5f4-ad4288b48840' })).rejects.toThrow(
      /did not load the conversation: no rollout/,
    );
  });
});

describe('Codex without a login', { timeout: 90_000 }, () => {
  it('keeps the prompt until somebody signs in', async () => {
    const bed = await new CodexBed().start({ needsLogin: true });
    try {
      expect(await codex.detect(bed.input())).toMatchObject({ signedIn: 'unknown' });
      const t = await bed.begin({ prompt: 'Hello there.' });
      await until('signed out', () => t.state() === 'signed-out');
      await until('the sign-in screen', () => bed.screen(t.pane).includes('Sign in with'));
      expect(bed.model()).not.toContain('Hello there.');
      bed.signIn();
      await until('finished', () => t.state() === 'finished');
      expect(t.events.filter((event) => event.type === 'prompt-accepted')).toHaveLength(1);
      expect(bed.model().match(/"last":"Hello there."/g)).toHaveLength(1);
    } finally {
      await bed.end();
    }
  });
});
