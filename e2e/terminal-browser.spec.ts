import { until } from './kit/host';
import {
  compose,
  drag,
  held,
  history,
  newShell,
  numbered,
  openByTouch,
  screen,
  shell,
  trimmed,
} from './kit/terminal';
import { expect, test } from './kit/test';
import { TerminalViewer } from './kit/viewer';

test('pitfall 5: snapshots in the middle of output are drawn in their place, nothing lost and nothing doubled', async ({
  host,
  desk,
}) => {
  const { device, id, pane } = await shell(host, desk);
  await desk.keyboard.type('for i in $(seq 1 1500); do echo "row $i"; sleep 0.002; done; echo al""l');
  await desk.keyboard.press('Enter');
  await until('rows', async () => (await screen(desk)).some((row) => row.startsWith('row ')));
  // Each change of the size is a whole snapshot between the bytes of the stream.
  const view = desk.viewportSize() ?? { width: 1280, height: 720 };
  const other = await TerminalViewer.open(device, id);
  for (let i = 0; i < 12; i++) {
    const before = other.snapshots;
    await desk.setViewportSize({ width: view.width, height: view.height - (i % 2) * 120 });
    await other.until('a snapshot', () => other.snapshots > before);
  }
  await expect.poll(async () => (await screen(desk)).includes('all'), { timeout: 60_000 }).toBe(true);
  await expect.poll(async () => trimmed(await screen(desk))).toBe(trimmed(await held(host, pane)));
  const numbers = numbered((await history(desk)).rows, 'row');
  expect(numbers.length).toBeGreaterThan(900);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => 1500 - numbers.length + 1 + i));
  device.close();
});

test('pitfall 6: what the host sends together with its welcome is not lost', async ({ host, desk }) => {
  const { url, device } = await newShell(host);
  // The page’s own code runs late: everything that has come meanwhile is handled in one tick.
  await desk.addInitScript(() => {
    const Real = WebSocket;
    const Late = function (this: unknown, address: string) {
      const ws = new Real(address);
      let handler: ((event: MessageEvent) => void) | null = null;
      const held: MessageEvent[] = [];
      ws.addEventListener('message', (event) => {
        held.push(event);
        if (held.length > 1) return;
        setTimeout(() => {
          for (const one of held.splice(0)) handler?.call(ws, one);
        }, 120);
      });
      Object.defineProperty(ws, 'onmessage', {
        set: (given) => {
          handler = given;
        },
        get: () => handler,
      });
      return ws;
    } as unknown as typeof WebSocket;
    Object.assign(Late, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });
    window.WebSocket = Late;
  });
  await desk.goto(url);
  await expect(desk.locator('[data-terminal]')).toHaveAttribute('data-owner', 'you');
  await desk.keyboard.type('echo th""ere');
  await desk.keyboard.press('Enter');
  await expect.poll(async () => (await screen(desk)).includes('there')).toBe(true);
  device.close();
});

test('pitfall 13: a window that is dragged, or a keyboard that slides in, is one resize', async ({
  host,
  desk,
}) => {
  const { device, pane } = await shell(host, desk);
  // Not the shell itself: a signal of the terminal goes to the program in front.
  await desk.keyboard.type(`bash -c 'trap "echo winch" WINCH; while :; do sleep 0.05; done'`);
  await desk.keyboard.press('Enter');
  const size = () => host.tmux('display-message', '-p', '-t', pane, '#{pane_width}x#{pane_height}');
  const before = await size();
  const view = desk.viewportSize() ?? { width: 1280, height: 720 };
  for (let i = 1; i <= 10; i++) {
    await desk.setViewportSize({ width: view.width, height: view.height - i * 20 });
  }
  await expect.poll(size).not.toBe(before);
  await until('told', async () => (await held(host, pane)).includes('winch'));
  // The last of the resizes has been told, so every one before it has too.
  const told = (await held(host, pane)).filter((row) => row === 'winch');
  expect(told.length).toBeLessThanOrEqual(2);
  device.close();
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });

  test('pitfall 14: a finger scrolls the history, and inside a program scrolls the program', async ({
    host,
    desk,
  }) => {
    const { device, id, url } = await newShell(host);
    const viewer = await TerminalViewer.open(device, id, { cols: 60, rows: 24 });
    viewer.type('for i in $(seq 1 300); do echo "row $i"; done; echo al""l\r');
    await viewer.shows('all');
    const client = await openByTouch(desk, url);
    await desk.getByRole('button', { name: 'Fit to this screen' }).click();
    await expect.poll(async () => (await history(desk)).rows.includes('all')).toBe(true);
    // The fitted screen is drawn anew; only then is its end where it stays.
    await expect.poll(async () => (await history(desk)).top).toBeGreaterThan(100);
    const end = (await history(desk)).top;
    await drag(client, 200, 420);
    await expect.poll(async () => (await history(desk)).top).toBeLessThan(end - 5);
    // A program with the whole screen gets the wheel, as arrows.
    viewer.type('printf "\\033[?1049h\\033[Hfull"; cat -v\r');
    await expect.poll(async () => (await history(desk)).type).toBe('alternate');
    await drag(client, 200, 420);
    await viewer.until('arrows', () => /\^\[(\[|O)A/.test(viewer.text));
    expect(desk.url()).toBe(url);
    device.close();
  });

  test('pitfall 15: what a phone’s keyboard composes and corrects arrives once', async ({ host, desk }) => {
    const { device, url, pane } = await newShell(host);
    const client = await openByTouch(desk, url);
    const field = desk.getByLabel('Message');
    await field.focus();
    await field.pressSequentially('echo ');
    // Composition as Gboard and a Japanese keyboard do it: the text so far is replaced until it is chosen.
    await compose(client, ['に', 'にほ', 'にほん'], '日本');
    await compose(client, ['wrod'], ' word');
    await expect(field).toHaveValue('echo 日本 word');
    await desk.getByRole('button', { name: 'Send' }).click();
    await until('it ran', async () => (await held(host, pane)).includes('日本 word'));
    expect((await held(host, pane)).filter((row) => row === '日本 word')).toHaveLength(1);
    device.close();
  });
});

test('pitfall 16: a program’s wish to fill the clipboard is asked about where somebody is, and refused until then', async ({
  host,
  desk,
  browser,
}) => {
  await desk.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const { device, url } = await shell(host, desk);
  // Another screen that shows the session, with nobody in front of it; a test's pages all take themselves for focused.
  const context = await browser.newContext();
  const idle = await context.newPage();
  await idle.addInitScript(() => {
    document.hasFocus = () => false;
  });
  await idle.goto(await host.link());
  await expect(idle.getByRole('heading', { name: 'Board' })).toBeVisible();
  await idle.goto(url);
  await expect(idle.locator('[data-terminal] .xterm-screen')).toBeVisible();
  await desk.evaluate(() => navigator.clipboard.writeText('mine'));
  await desk.keyboard.type(
    `printf "\\033]52;c;${Buffer.from('theirs').toString('base64')}\\007"; echo as""ked`,
  );
  await desk.keyboard.press('Enter');
  const asked = desk.getByRole('button', { name: 'Copy', exact: true });
  await expect(asked).toBeVisible();
  await expect.poll(async () => (await screen(idle)).some((row) => row.includes('asked'))).toBe(true);
  await expect(idle.getByRole('alertdialog')).toHaveCount(0);
  expect(await desk.evaluate(() => navigator.clipboard.readText())).toBe('mine');
  await asked.click();
  await expect.poll(() => desk.evaluate(() => navigator.clipboard.readText())).toBe('theirs');
  await context.close();
  device.close();
});
