import { readdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { Device } from './kit/device';
import { TestHost, until } from './kit/host';
import { startVendor, vendorHost } from './kit/vendor-journey';

const finished = (host: TestHost) =>
  until('finished', async () => (await host.sessions()).find((row) => row.state === 'finished'), 60_000);

test('Claude Code asks questions: they are answered in the browser, with its answers and with own words', async ({
  page,
}) => {
  await vendorHost('claude', async ({ host, model, repo }) => {
    await startVendor(page, host, repo, { agent: 'Claude Code', branch: 'one', prompt: 'ASK me' });
    const card = page.getByRole('region', { name: /^Asks/ }).first();
    await expect(card).toBeVisible({ timeout: 60_000 });
    const send = card.getByRole('button', { name: 'Answer', exact: true });
    await expect(send).toBeDisabled();
    const groups = card.getByRole('group');
    await groups
      .nth(0)
      .getByRole('radio', { name: /SQLite/ })
      .check();
    for (const box of await groups.nth(1).getByRole('checkbox').all()) await box.check();
    await groups.nth(1).getByRole('textbox').fill('and my own words');
    await send.click();
    await finished(host);
    expect(model.log()).toContain('SQLite');
    // Chosen labels and own words, as one text.
    expect(model.log()).toContain('Search, Export, Sync, and my own words');
  });
});

test('Claude Code proposes a plan: it is sent back with words, then approved into a mode', async ({
  page,
}) => {
  await vendorHost('claude', async ({ host, model, repo }) => {
    await page.goto(await host.link());
    const device = await (await Device.enrol(await host.link())).connect();
    await device.start(await device.project(repo), 'PLAN it', {
      vendor: 'claude',
      permission: 'default',
      mode: 'planner',
    });
    const card = page.getByRole('region', { name: /^Proposes a plan/ }).first();
    await expect(card).toContainText('The plan', { timeout: 60_000 });
    await card.getByRole('textbox', { name: 'What to change in the plan' }).fill('name the files first');
    await card.getByRole('button', { name: 'Send back' }).click();
    await finished(host);
    expect(model.log()).toContain('name the files first');
    const [session] = [...device.board.sessions.values()];
    await device.say(session?.id ?? '', 'PLAN again');
    await expect(card).toBeVisible({ timeout: 60_000 });
    await card.getByRole('button', { name: 'Approve: accept edits' }).click();
    await until('the model heard of it', () => /approved your plan/i.test(model.log()), 60_000);
    const pane = await host.pane();
    await until('the mode is the CLI’s own now', async () =>
      (await host.tmux('capture-pane', '-p', '-t', pane)).includes('accept edits on'),
    );
    device.close();
  });
});

test('Codex asks questions in plan mode: the answer is the model’s to read', async () => {
  await vendorHost('codex', async ({ host, model, repo }) => {
    const device = await (await Device.enrol(await host.link())).connect();
    const session = await device.start(await device.project(repo), 'ASK me', {
      vendor: 'codex',
      permission: 'workspace',
      mode: 'planner',
    });
    const need = await until(
      'it asks',
      () => [...device.board.needs.values()].find((one) => one.state === 'pending'),
      60_000,
    );
    const form = need.form;
    if (form?.type !== 'questions') throw new Error('no questions');
    await expect(device.answer(need, 'deny')).rejects.toThrow(/only be left in the terminal/);
    const answers = Object.fromEntries(
      form.questions.map((one) => [one.id, [one.options.at(-1)?.label ?? '']]),
    );
    await device.answer(need, 'allow', { answers });
    await until('finished', () => device.board.sessions.get(session.id)?.state === 'finished', 60_000);
    for (const [label] of Object.values(answers)) expect(model.log()).toContain(label);
    expect(device.board.needs.get(need.id)?.state).toBe('confirmed');
    device.close();
  });
});

test('an answer that does not fit the question, or is not what was signed, resolves nothing', async () => {
  const host = await new TestHost().start();
  try {
    const device = await (await Device.enrol(await host.link())).connect();
    const project = await device.project(await host.repository());
    const session = await device.start(project, 'question Which colour? => red ¶ blue\nsay done');
    const need = await until('it asks', () =>
      [...device.board.needs.values()].find((one) => one.state === 'pending'),
    );
    for (const [detail, why] of [
      [undefined, /has no answer/],
      [{ answers: { q: [] } }, /has no answer/],
      [{ answers: { q: ['red', 'blue'] } }, /takes one answer/],
      [{ answers: { other: ['red'] } }, /has no answer/],
      [{ mode: 'bypassPermissions' }, /has no answer|no such mode/],
    ] as const) {
      await expect(device.answer(need, 'allow', detail as never)).rejects.toThrow(why);
    }
    await expect(
      device.answer(need, 'allow', { answers: { q: ['red'] } }, { answers: { q: ['blue'] } }),
    ).rejects.toThrow(/not signed/);
    expect(device.board.needs.get(need.id)?.state).toBe('pending');
    await device.answer(need, 'allow', { answers: { q: ['blue'] } });
    await until('done', () => device.board.sessions.get(session.id)?.state === 'finished');
    const record = await host.tmux('capture-pane', '-p', '-t', await host.pane());
    expect(record).toContain('blue');
    device.close();
  } finally {
    await host.dispose();
  }
});

test('a rule is allowed from now on with its whole text in sight, and then it does not ask again', async ({
  page,
}) => {
  await vendorHost('claude', async ({ host, repo }) => {
    await page.goto(await host.link());
    const device = await (await Device.enrol(await host.link())).connect();
    const start = { vendor: 'claude', permission: 'default' };
    const ask = 'RUN_BASH: curl -s localhost:1';
    const session = await device.start(await device.project(repo), ask, start);
    const card = page.getByRole('region', { name: /^Wants to/ }).first();
    await expect(card).toBeVisible({ timeout: 60_000 });
    await card.getByRole('button', { name: 'Always allow …' }).click();
    await expect(card.locator('.grant code')).toHaveText('Bash(curl -s localhost:1)');
    await card.getByRole('button', { name: 'Approve and allow from now on' }).click();
    await finished(host);
    const { id } = await device.say(session.id, ask);
    await until('taken', () => device.board.messages.get(id)?.state === 'accepted');
    await until('and finished', () => device.board.sessions.get(session.id)?.state === 'finished', 60_000);
    expect([...device.board.needs.values()]).toHaveLength(1);
    // The rule is the session's: nothing was written into the repository.
    expect(readdirSync(repo).sort()).toEqual(['.git', 'README.md']);
    device.close();
  });
});
