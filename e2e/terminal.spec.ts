import { encodeClient } from '../server/contract';
import { until } from './kit/host';
import { held, history, numbered, screen, shell, trimmed } from './kit/terminal';
import { expect, test } from './kit/test';

test('a typed character appears, and the screen is what tmux holds', async ({ host, desk }) => {
  const { device, pane } = await shell(host, desk);
  await desk.keyboard.type('printf "\\033[31mred\\033[0m 漢字 é 👩 done\\n"');
  await desk.keyboard.press('Enter');
  await expect.poll(async () => (await screen(desk)).some((row) => row.startsWith('red'))).toBe(true);
  await expect.poll(async () => trimmed(await screen(desk))).toBe(trimmed(await held(host, pane)));
  device.close();
});

test('a large coloured flood freezes nothing, and Ctrl-C stops it', async ({ host, desk }) => {
  const { device, pane } = await shell(host, desk);
  await desk.keyboard.type(
    'yes "$(printf "\\033[32mgreen\\033[0m and a long line of text to fill the screen")"',
  );
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Much output')).toBeVisible();
  // The page lives: another call answers while it floods.
  expect(await device.query('board.snapshot')).toBeTruthy();
  await desk.locator('[data-terminal] textarea').focus();
  await desk.keyboard.press('Control+c');
  await until('the flood ended', async () => (await held(host, pane)).some((row) => row.includes('^C')));
  await desk.keyboard.type('echo af""ter');
  await desk.keyboard.press('Enter');
  await expect.poll(async () => (await screen(desk)).includes('after')).toBe(true);
  await expect.poll(async () => trimmed(await screen(desk))).toBe(trimmed(await held(host, pane)));
  device.close();
});

test('pitfall 13: a second viewer in a narrow window does not reshape the first, until it asks', async ({
  host,
  desk,
  browser,
}) => {
  const { device, pane, url } = await shell(host, desk);
  const size = () => host.tmux('display-message', '-p', '-t', pane, '#{pane_width}x#{pane_height}');
  await expect.poll(async () => Number((await size()).split('x')[0])).toBeGreaterThan(100);
  const before = await size();
  const context = await browser.newContext({ viewport: { width: 390, height: 700 }, hasTouch: true });
  const phone = await context.newPage();
  await phone.goto(await host.link());
  await expect(phone.getByRole('heading', { name: 'Board' })).toBeVisible();
  await phone.goto(url);
  await expect(phone.getByText(/Sized for another screen/)).toBeVisible();
  expect(await size()).toBe(before);
  await phone.getByRole('button', { name: 'Fit to this screen' }).click();
  await expect.poll(size).not.toBe(before);
  await expect(desk.getByText(/Sized for another screen/)).toBeVisible();
  await context.close();
  device.close();
});

test('100 cuts of the line: the screen is what tmux holds, nothing lost and nothing doubled', async ({
  host,
  desk,
}) => {
  const { device, pane } = await shell(host, desk);
  await desk.keyboard.type('for i in $(seq 1 2000); do echo "line $i"; sleep 0.005; done; echo al""l');
  await desk.keyboard.press('Enter');
  for (let i = 0; i < 100; i++) {
    await desk.evaluate(() => dispatchEvent(new Event('online')));
    await desk.evaluate((ms) => new Promise((done) => setTimeout(done, ms)), (i * 37) % 90);
  }
  await expect.poll(async () => (await screen(desk)).includes('all'), { timeout: 60_000 }).toBe(true);
  await expect.poll(async () => trimmed(await screen(desk))).toBe(trimmed(await held(host, pane)));
  const numbers = numbered((await history(desk)).rows, 'line');
  expect(numbers.length).toBeGreaterThan(900);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => 2000 - numbers.length + 1 + i));
  device.close();
});

test('pitfall 1: the host dies in a flow; the agent goes on and the browser comes back by itself', async ({
  host,
  desk,
}) => {
  const { device, pane } = await shell(host, desk);
  await desk.keyboard.type('for i in $(seq 1 100000); do echo $i > count; echo $i; sleep 0.01; done');
  await desk.keyboard.press('Enter');
  const count = async () => Number((await held(host, pane)).filter((row) => /^\d+$/.test(row)).at(-1) ?? 0);
  await until('counting', async () => (await count()) > 20);
  await host.kill('SIGKILL');
  await until('no client is left', async () => (await host.tmux('list-clients')).trim() === '');
  const at = await count();
  await until('still counting', async () => (await count()) > at + 20);
  await host.start();
  const after = await count();
  await expect
    .poll(async () => Number((await screen(desk)).filter((row) => /^\d+$/.test(row)).at(-1) ?? 0), {
      timeout: 30_000,
    })
    .toBeGreaterThan(after);
  device.close();
});

test('pitfall 11: a key sent right behind a paste never overtakes it', async ({ host, desk }) => {
  const { device, pane } = await shell(host, desk);
  const socket = await device.socket('/ws/term', '?tab=order');
  const session = (await host.sessions())[0];
  socket.send(
    encodeClient({
      type: 'sub',
      channel: 1,
      sessionId: Buffer.from(session?.id ?? ''),
      epoch: 0,
      from: null,
    }),
  );
  // Without an order of its own the key is written at once and the paste waits for a process to load it.
  for (let i = 0; i < 20; i++) {
    const text = Buffer.from(`echo n${i}`);
    socket.send(encodeClient({ type: 'paste', channel: 1, inputSeq: 2 * i + 1, last: true, bytes: text }));
    socket.send(encodeClient({ type: 'input', channel: 1, inputSeq: 2 * i + 2, bytes: Buffer.from('\r') }));
  }
  await until('all ran', async () => (await held(host, pane)).includes('n19'));
  const ran = (await host.tmux('capture-pane', '-p', '-S', '-', '-t', pane))
    .split('\n')
    .filter((row) => /^n\d+$/.test(row));
  expect(ran).toEqual(Array.from({ length: 20 }, (_, i) => `n${i}`));
  socket.terminate();
  device.close();
});

test('pitfall 12: what is typed while the host is away runs once when it is back', async ({ host, desk }) => {
  const { device, pane } = await shell(host, desk);
  await desk.keyboard.type('echo be""fore');
  await desk.keyboard.press('Enter');
  await expect.poll(async () => (await screen(desk)).includes('before')).toBe(true);
  await host.kill('SIGKILL');
  await expect(desk.getByText('Reconnecting …').first()).toBeVisible();
  await desk.keyboard.type('echo aw""ay');
  await desk.keyboard.press('Enter');
  await host.start();
  await expect.poll(async () => (await screen(desk)).includes('away'), { timeout: 40_000 }).toBe(true);
  // A redial more, and one line behind it as a fence.
  await desk.evaluate(() => dispatchEvent(new Event('online')));
  await desk.keyboard.type('echo fe""nce');
  await desk.keyboard.press('Enter');
  await expect.poll(async () => (await screen(desk)).includes('fence')).toBe(true);
  expect((await held(host, pane)).filter((row) => row === 'away')).toHaveLength(1);
  device.close();
});

test('pitfall 18: a program that ends leaves its code and its last screen, and the others alone', async ({
  host,
  desk,
}) => {
  const { device, id } = await shell(host, desk);
  const other = await device.start(device.board.sessions.get(id)?.projectId ?? '', '', {
    vendor: 'terminal',
  });
  await desk.keyboard.type('echo last wo""rds; exit 7');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Exit code 7.')).toBeVisible();
  await expect.poll(async () => (await screen(desk)).includes('last words')).toBe(true);
  await desk.reload();
  await expect.poll(async () => (await screen(desk)).includes('last words')).toBe(true);
  const windows = (await host.tmux('list-windows', '-t', '=hub', '-F', '#{window_name}')).trim().split('\n');
  expect(windows).toEqual(expect.arrayContaining(['keeper', other.id]));
  device.close();
});
