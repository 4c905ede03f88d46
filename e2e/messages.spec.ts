import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { ChatPatch } from '../server/contract';
import { Device } from './kit/device';
import { type TestHost, until } from './kit/host';
import { expect, test } from './kit/test';
import { vendorHost } from './kit/vendor-journey';

/** What the scripted agent has really been told, in order, from its own record. */
function told(host: TestHost, id: string): string[] {
  const text = readFileSync(join(host.home, 'sessions', id, 'conversation.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ChatPatch)
    .flatMap((patch) => (patch.type === 'item' && patch.item.kind === 'user' ? [patch.item.text] : []));
}
const box = (page: Page) => page.getByRole('combobox', { name: /^Message to/ });
const connect = async (host: TestHost) => (await Device.enrol(await host.link())).connect();
const inState = (device: Device, id: string, ...states: string[]) =>
  until(`${states}`, () => states.includes(device.board.sessions.get(id)?.state ?? ''), 60_000);

test('a message from the box is kept, accepted and shown once; what is sent while it works waits in order', async ({
  host,
  desk,
}) => {
  const device = await connect(host);
  const session = await device.start(await device.project(await host.repository()), 'say ready');
  await desk.goto(`${host.url}/session?id=${session.id}`);
  await expect(desk.getByText('ready', { exact: true })).toBeVisible();
  // It works until the test says so: what a person does meanwhile takes as long as it takes.
  const first = 'run until [ -e go ]; do sleep 0.05; done\nsay first done';
  await box(desk).fill(first);
  await desk.keyboard.press('Enter');
  await expect(box(desk)).toHaveValue('');
  await inState(device, session.id, 'working');
  await expect(desk.getByText('The agent is working: this will be queued')).toBeVisible();
  for (const text of ['say second', 'say third', 'say never', 'say fourth']) {
    await box(desk).fill(text);
    await box(desk).press('Enter');
    await expect(box(desk)).toHaveValue('');
  }
  const waiting = desk.getByRole('list', { name: 'Messages on their way' });
  await expect(waiting.getByRole('listitem')).toHaveCount(4);
  const other = await desk.context().newPage();
  await other.goto(host.url);
  await expect(other.getByText('4 messages wait.')).toBeVisible();
  await other.close();
  await waiting
    .getByRole('listitem')
    .filter({ hasText: 'say never' })
    .getByRole('button', { name: 'Remove' })
    .click();
  await waiting
    .getByRole('listitem')
    .filter({ hasText: 'say third' })
    .getByRole('button', { name: 'Earlier' })
    .click();
  const fourth = waiting.getByRole('listitem').filter({ hasText: 'say fourth' });
  await fourth.getByRole('button', { name: 'Edit' }).click();
  await desk.getByRole('textbox', { name: 'Change the message' }).fill('say changed');
  await desk.getByRole('button', { name: 'Keep' }).click();
  await expect(waiting.getByRole('listitem').first()).toContainText('say third');
  await expect(fourth).toHaveCount(0);
  writeFileSync(join(session.cwd, 'go'), '');
  await until('all of it', () => told(host, session.id).includes('say changed'));
  expect(told(host, session.id)).toEqual(['say ready', first, 'say third', 'say second', 'say changed']);
  await expect(waiting).toHaveCount(0);
  await expect(desk.locator('.me', { hasText: 'say third' })).toHaveCount(1);
  await expect(desk.getByText(/^accepted \d\d:\d\d:\d\d/).first()).toBeVisible();
  device.close();
});

test('a draft is there after a reload and on another device, and gone when it was sent', async ({
  host,
  desk,
  browser,
}) => {
  const device = await connect(host);
  const session = await device.start(await device.project(await host.repository()), 'say ready');
  const url = `${host.url}/session?id=${session.id}`;
  await desk.goto(url);
  await box(desk).fill('half a thought');
  await expect(desk.getByText(/^Draft kept on/)).toBeVisible();
  await desk.reload();
  await expect(box(desk)).toHaveValue('half a thought');
  await host.kill('SIGKILL');
  await host.start();
  const context = await browser.newContext({ viewport: { width: 390, height: 780 } });
  const phone = await context.newPage();
  await phone.goto(await host.link());
  await expect(phone.getByRole('heading', { name: 'Board' })).toBeVisible();
  await phone.goto(url);
  await expect(box(phone)).toHaveValue('half a thought');
  await box(phone).fill('say a whole one');
  await phone.getByRole('button', { name: /^Send/ }).click();
  await until('told', () => told(host, session.id).includes('say a whole one'));
  await desk.reload();
  await expect(box(desk)).toHaveValue('');
  await context.close();
  device.close();
});

for (const point of ['message.kept', 'message.typing', 'message.typed', 'message.before-receipt']) {
  test(`killed at ${point}: the message is never lost and never told twice`, async ({ host }) => {
    const device = await connect(host);
    const session = await device.start(await device.project(await host.repository()), 'say ready');
    await inState(device, session.id, 'finished', 'idle');
    device.close();
    await host.kill('SIGTERM');
    await host.start([], { OFFDECK_TEST_CRASH_AT: point });
    const again = await connect(host);
    await again.say(session.id, 'say once', 'messageaaaaaaaa').catch(() => {});
    await host.exited;
    await host.start();
    const after = await connect(host);
    const message = await until(
      'its fate is known',
      () => {
        const found = after.board.messages.get('messageaaaaaaaa');
        return found && ['accepted', 'unsure'].includes(found.state) && found;
      },
      60_000,
    );
    const times = told(host, session.id).filter((text) => text === 'say once').length;
    // Handed over and seen: accepted. Died before a byte was typed: a person is asked, and nothing was said.
    expect([message.state, times]).toEqual(point === 'message.typing' ? ['unsure', 0] : ['accepted', 1]);
    if (message.state === 'unsure') {
      await after.mutate('messages.retry', { id: message.id });
      await until('told', () => told(host, session.id).includes('say once'));
    }
    after.close();
  });
}

test('kept while the agent has ended, and delivered when it is resumed', async ({ host }) => {
  const device = await connect(host);
  const session = await device.start(await device.project(await host.repository()), 'say ready');
  await inState(device, session.id, 'finished', 'idle');
  await device.mutate('sessions.end', { id: session.id });
  const kept = await device.say(session.id, 'say later');
  expect(kept.state).toBe('kept');
  await device.mutate('sessions.resume', { id: session.id });
  await until('accepted', () => device.board.messages.get(kept.id)?.state === 'accepted');
  expect(told(host, session.id)).toEqual(['say ready', 'say later']);
  device.close();
});

test('what somebody has half typed in the real terminal survives a message from the phone', async () => {
  await vendorHost('claude', async ({ host, model, repo }) => {
    const device = await connect(host);
    const session = await device.start(await device.project(repo), 'hello', {
      vendor: 'claude',
      permission: 'default',
    });
    // Not "idle": so it is called before it has taken its first prompt, too.
    await inState(device, session.id, 'finished');
    const pane = await host.pane();
    const screen = () => host.tmux('capture-pane', '-p', '-t', pane);
    await host.tmux('send-keys', '-t', pane, '-l', 'half typed by a person');
    await until('it stands there', async () => /❯.half typed by a person/.test(await screen()));
    const message = await device.say(session.id, 'from the phone');
    await until('accepted', () => device.board.messages.get(message.id)?.state === 'accepted');
    await until('its draft is back', async () => /❯.half typed by a person/.test(await screen()));
    await until('the model heard it', () => model.log().includes('from the phone'));
    expect(model.log()).not.toContain('half typed by a personfrom');
    // And never into an open dialog, where an Enter would be a yes.
    const asking = await device.say(session.id, 'RUN_BASH: touch typed.txt');
    await until('it asks', () => device.board.sessions.get(session.id)?.state === 'needs-you', 60_000);
    const late = await device.say(session.id, 'and this');
    await until('the first is accepted', () => device.board.messages.get(asking.id)?.state === 'accepted');
    const need = await until('a request', () =>
      [...device.board.needs.values()].find((one) => one.state === 'pending'),
    );
    await until('it waits', () => device.board.messages.get(late.id)?.state === 'kept');
    await device.answer(need, 'deny');
    await until('accepted after it', () => device.board.messages.get(late.id)?.state === 'accepted', 60_000);
    device.close();
  });
});
