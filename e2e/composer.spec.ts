import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Device } from './kit/device';
import { type TestHost, until } from './kit/host';
import { expect, test } from './kit/test';
import { startVendor, vendorHost } from './kit/vendor-journey';

const box = (page: Page) => page.getByRole('combobox', { name: /^Message to/ });
const record = (host: TestHost, id: string) =>
  readFileSync(join(host.home, 'sessions', id, 'conversation.jsonl'), 'utf8');

async function opened(host: TestHost, desk: Page) {
  const device = await (await Device.enrol(await host.link())).connect();
  const session = await device.start(await device.project(await host.repository()), 'say ready');
  mkdirSync(join(session.cwd, 'src', 'deep'), { recursive: true });
  for (const [name, text] of [
    ['src/deep/retry-policy.ts', 'x'],
    ['src/my notes.txt', 'x'],
    ['secret.log', 'x'],
    ['.gitignore', '*.log\n'],
  ] as const) {
    writeFileSync(join(session.cwd, name), text);
  }
  await desk.goto(`${host.url}/session?id=${session.id}`);
  await expect(desk.getByText('ready', { exact: true })).toBeVisible();
  return { device, session };
}

test('a file is named by a few letters, an ignored one is not offered, and Enter then sends', async ({
  host,
  desk,
}) => {
  const { device, session } = await opened(host, desk);
  const files = desk.getByRole('listbox', { name: 'Files' });
  await box(desk).pressSequentially('look at @retpol');
  await expect(files.getByRole('option').first()).toHaveText('retry-policy.tssrc/deep/');
  await expect(box(desk)).toHaveAttribute('aria-expanded', 'true');
  await desk.keyboard.press('Enter');
  await expect(box(desk)).toHaveValue('look at @src/deep/retry-policy.ts ');
  await expect(files).toHaveCount(0);
  await box(desk).pressSequentially('and @secret');
  await expect(desk.getByText('No file of that name that git does not ignore.')).toBeVisible();
  await desk.keyboard.press('Escape');
  await expect(desk.getByText('No file of that name')).toHaveCount(0);
  await expect(box(desk)).toBeFocused();
  for (let i = 0; i < 'and @secret'.length; i++) await desk.keyboard.press('Backspace');
  // A folder leads on to what is in it; a name with a space is put in quotes.
  await box(desk).pressSequentially('@src/');
  await expect(files.getByRole('option').first()).toHaveText('src/');
  await box(desk).pressSequentially('my');
  await expect(files.getByRole('option').first()).toHaveText('my notes.txtsrc/');
  await files.getByRole('option').first().click();
  await expect(box(desk)).toHaveValue('look at @src/deep/retry-policy.ts @"src/my notes.txt" ');
  await desk.keyboard.press('Enter');
  await until('told', () => record(host, session.id).includes('my notes.txt'));
  await expect(box(desk)).toHaveValue('');
  device.close();
});

test('a command of the agent runs, anything else that begins with a slash is text', async ({
  host,
  desk,
}) => {
  const { device, session } = await opened(host, desk);
  await desk.getByRole('button', { name: 'Run a command of the agent' }).click();
  const list = desk.getByRole('listbox', { name: 'Commands' });
  await expect(list.getByRole('option', { name: /^greet/ })).toBeVisible();
  await desk.keyboard.press('Tab');
  await expect(box(desk)).toHaveValue('/greet ');
  await box(desk).pressSequentially('Ada');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Hello Ada')).toBeVisible();
  await box(desk).pressSequentially('/etc/passwd');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('You said: /etc/passwd')).toBeVisible();
  await box(desk).pressSequentially('/greeting');
  await expect(desk.getByText('No command of that name: it will be sent as text.')).toBeVisible();
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('You said: /greeting')).toBeVisible();
  const sent = [...device.board.messages.values()].map(({ text, command }) => [text, command ?? false]);
  expect(sent).toEqual([
    ['/greet Ada', true],
    ['/etc/passwd', false],
    ['/greeting', false],
  ]);
  // With the arrows what was sent comes back, the newest first, and what was being written at the end.
  await desk.keyboard.press('ArrowUp');
  await expect(box(desk)).toHaveValue('/greeting');
  await desk.keyboard.press('Escape');
  await desk.keyboard.press('ArrowUp');
  await expect(box(desk)).toHaveValue('/etc/passwd');
  await desk.keyboard.press('ArrowDown');
  await desk.keyboard.press('ArrowDown');
  await expect(box(desk)).toHaveValue('');
  await expect(desk.getByText('Hello Ada')).toBeVisible();
  expect(record(host, session.id).match(/Hello Ada/g)).toHaveLength(1);
  device.close();
});

test('Claude Code’s own commands go through the queue in order: compact, clear, and what comes after', async ({
  page,
}) => {
  await vendorHost('claude', async ({ host, model, repo }) => {
    await startVendor(page, host, repo, { agent: 'Claude Code', branch: 'one', prompt: 'first words' });
    const device = await (await Device.enrol(await host.link())).connect();
    const session = await until('finished', () =>
      [...device.board.sessions.values()].find(({ state }) => state === 'finished'),
    );
    await page.goto(`${host.url}/session?id=${session.id}`);
    await expect(page.getByText('You said: first words')).toBeVisible();
    for (const text of ['/compact', '/clear', 'after the clear']) {
      await box(page).fill(text);
      if (text.startsWith('/')) await page.keyboard.press('Escape'); // closes the list; the field keeps the focus
      await page.keyboard.press('Enter');
      await expect(box(page)).toHaveValue('');
    }
    await until(
      'all are taken',
      () => [...device.board.messages.values()].filter(({ state }) => state === 'accepted').length === 3,
      60_000,
    );
    await expect(page.getByText('You said: after the clear')).toBeVisible();
    await expect(page.getByText('You said: first words')).toHaveCount(0);
    expect(model.log()).toContain('after the clear');
    expect(device.board.sessions.get(session.id)?.vendorSession).not.toBe(session.vendorSession);
    device.close();
  });
});
