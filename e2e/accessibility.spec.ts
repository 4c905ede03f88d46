import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { Device } from './kit/device';
import { until } from './kit/host';
import { expect, test } from './kit/test';

/** What axe finds on this page in both themes, worse than "minor", each with where. */
async function faults(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    // The terminal's own cells are coloured by the program in it; its reader mode is for those who cannot see them.
    const { violations } = await new AxeBuilder({ page }).exclude('.xterm').analyze();
    for (const { id, impact, nodes } of violations) {
      if (impact === 'minor') continue;
      found.push(...nodes.map((node) => `${theme} ${page.url()} ${id}: ${node.html.slice(0, 160)}`));
    }
  }
  return found;
}

/** The frame of every page fills the window: the sidebar to its foot, the bar of a phone in one row at its foot. */
async function expectFrame(page: Page): Promise<void> {
  const { height = 0, width = 0 } = page.viewportSize() ?? {};
  const box = await page.getByRole('main').boundingBox();
  const bar = await page.locator('.bottom').boundingBox();
  const side = await page.locator('.sidebar').boundingBox();
  const top = bar ? bar.y : height;
  expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(Math.round(top));
  if (bar) {
    expect(Math.round(bar.y + bar.height)).toBe(height);
    expect(bar.height).toBeLessThan(70);
  }
  if (width > 767) expect(Math.round((side?.height ?? 0) + (side?.y ?? 0))).toBe(height);
}

for (const [name, viewport] of [
  ['a desk', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
] as const) {
  test(`axe finds nothing of weight on any screen, on ${name}, in both themes`, async ({ host, desk }) => {
    const device = await (await Device.enrol(await host.link())).connect();
    const project = await device.project(await host.repository());
    const start = (prompt: string, label: string) => device.start(project, prompt, { name: label });
    const talk = await start(
      'asked Show everything\ndid edit a.ts => -a ¶ +b\nsay **Bold** `code`\\n\\n| a |\\n|---|\\n| 1 |',
      'Talk',
    );
    await start('ask rm -rf build', 'Approve');
    await start('question Which? => one ¶ two', 'Question');
    await start('limit 20', 'Limit');
    const ended = await start('say bye', 'Ended');
    await until('all there', () => [...device.board.needs.values()].length === 2);
    await device.mutate('sessions.end', { id: ended.id });
    await desk.setViewportSize(viewport);
    for (const path of ['/', '/needs', '/history', '/settings', `/session?id=${talk.id}`]) {
      await desk.goto(host.url + path);
      await expect(desk.getByRole('main')).toBeVisible();
      if (path.startsWith('/session'))
        await expect(desk.getByRole('button', { name: /Edit a\.ts/ })).toBeVisible();
      else await expect(desk.getByRole('heading', { level: 1 })).toBeVisible();
      await expectFrame(desk);
      expect(await faults(desk)).toEqual([]);
    }
    // Where there is little to show, nothing else takes the room.
    await desk.goto(`${host.url}/history`);
    await desk.evaluate(() => document.querySelector('.app')?.append(document.createElement('section')));
    await expectFrame(desk);
    await desk.goto(host.url);
    // A key pressed before the page listens is heard by nobody.
    await expect(desk.getByRole('main').getByRole('link', { name: 'Approve' })).toBeVisible();
    await desk.keyboard.press('n');
    await expect(desk.getByRole('dialog', { name: 'New session' })).toBeVisible();
    expect(await faults(desk)).toEqual([]);
    // The control: a button without a name is found.
    await desk.evaluate(() =>
      document.querySelector('[role=dialog]')?.append(document.createElement('button')),
    );
    expect((await faults(desk)).length).toBeGreaterThan(0);
    device.close();
  });
}
