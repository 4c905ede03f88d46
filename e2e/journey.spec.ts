import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './kit/host';
import { addProject, startSession } from './kit/screens';
import { expect, test } from './kit/test';

test('from a repository to an answered approval, exactly once', async ({ host, desk }) => {
  const repo = await host.repository();
  await addProject(desk, repo);
  await startSession(desk, {
    agent: 'Scripted agent',
    branch: 'fix/upload',
    prompt: 'say hello\nask echo ran >> proof.txt\nrecap All done.\nsay bye',
  });
  const card = desk.getByRole('region', { name: /Wants to run a command/ }).first();
  await expect(card).toContainText('echo ran >> proof.txt');
  const row = await until('status names the need', async () =>
    (await host.sessions()).find((s) => s.needs === 1),
  );
  expect(row.state).toBe('needs-you');
  await card.getByRole('button', { name: /Approve/ }).click();
  await until('finished', async () => (await host.sessions())[0]?.state === 'finished');
  expect(readFileSync(join(row.worktree ?? '', 'proof.txt'), 'utf8')).toBe('ran\n');
  await desk.goto(host.url);
  await expect(desk.getByText('All done.').first()).toBeVisible();
});

test('a denial is passed on and the agent goes on', async ({ host, desk }) => {
  const repo = await host.repository();
  await addProject(desk, repo);
  await startSession(desk, {
    agent: 'Scripted agent',
    branch: 'one',
    prompt: 'ask touch never\nask touch second',
  });
  const region = desk.getByRole('region', { name: /Wants to run a command/ }).first();
  await expect(region).toContainText('touch never');
  await region.getByRole('button', { name: /Deny/ }).click();
  await expect(region).toContainText('touch second');
  await region.getByRole('button', { name: /Approve/ }).click();
  const row = await until('finished', async () =>
    (await host.sessions()).find((s) => s.state === 'finished'),
  );
  expect(() => readFileSync(join(row.worktree ?? '', 'never'))).toThrow();
  expect(readFileSync(join(row.worktree ?? '', 'second'), 'utf8')).toBe('');
});

test('a host killed while an approval is open comes back with it, still answerable', async ({
  host,
  desk,
}) => {
  const repo = await host.repository();
  await addProject(desk, repo);
  await startSession(desk, { agent: 'Scripted agent', branch: 'one', prompt: 'ask echo ran >> proof.txt' });
  await until('asked', async () => (await host.sessions())[0]?.needs === 1);
  const before = (await host.tmux('list-panes', '-a', '-F', '#{pane_pid}')).trim();
  await host.kill('SIGKILL');
  // What stands there may be answered already: no tap into the void.
  await expect(desk.getByRole('button', { name: /^Approve/ }).first()).toBeDisabled();
  await expect(
    desk.getByText('Not connected: this can be answered when the host is back.').first(),
  ).toBeVisible();
  await host.start();
  expect((await host.tmux('list-panes', '-a', '-F', '#{pane_pid}')).trim()).toBe(before);
  const region = desk.getByRole('region', { name: /Wants to run a command/ }).first();
  await expect(region.getByRole('button', { name: /Approve/ })).toBeEnabled();
  await region.getByRole('button', { name: /Approve/ }).click();
  const row = await until('finished', async () =>
    (await host.sessions()).find((s) => s.state === 'finished'),
  );
  expect(readFileSync(join(row.worktree ?? '', 'proof.txt'), 'utf8')).toBe('ran\n');
});

test('Start waits until the branches are known, and says so; what it sends is then whole', async ({
  host,
  desk,
}) => {
  const repo = await host.repository();
  // The answer about branches is held back, as a slow repository or a busy machine does it.
  let release: () => void = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  await desk.routeWebSocket(/\/ws\/rpc/, (ws) => {
    const server = ws.connectToServer();
    const held = new Set<number>();
    ws.onMessage((message) => {
      const text = String(message);
      if (text.includes('"projects.branches"')) held.add((JSON.parse(text) as { id: number }).id);
      server.send(message);
    });
    server.onMessage((message) => {
      const id = Number(/"id":(\d+)/.exec(String(message))?.[1]);
      if (held.has(id)) void released.then(() => ws.send(message));
      else ws.send(message);
    });
  });
  await desk.reload();
  await addProject(desk, repo);
  const dialog = desk.getByRole('dialog', { name: 'New session' });
  await dialog.getByRole('radio', { name: 'Scripted agent' }).click();
  await dialog.getByLabel('Branch').fill('one');
  await dialog.getByLabel('Prompt').fill('say hi');
  await expect(dialog.getByText('Reading the branches …')).toBeVisible();
  await expect(dialog.getByRole('button', { name: /Start/ })).toBeDisabled();
  release();
  await dialog.getByRole('button', { name: /Start/ }).click();
  await expect(dialog).toBeHidden({ timeout: 30_000 });
});
