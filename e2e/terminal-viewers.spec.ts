import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CREDIT_STOP } from '../server/contract';
import { until } from './kit/host';
import { held, newShell } from './kit/terminal';
import { expect, test } from './kit/test';
import { TerminalViewer } from './kit/viewer';

const FLOOD = 'seq -f "a long line of text to fill the screen %.0f" 999999999\r';
const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

test('pitfall 8: a flood and a viewer that stands still hold up nobody, and cost the host no memory', async ({
  host,
}) => {
  const loud = await newShell(host);
  const desk = await TerminalViewer.open(loud.device, loud.id, { cols: 100, rows: 30 });
  const phone = await TerminalViewer.open(loud.device, loud.id, { acks: false });
  const other = await loud.device.start((await host.sessions())[0] ? await projectOf(loud) : '', '', {
    vendor: 'terminal',
  });
  const beside = await TerminalViewer.open(loud.device, other.id, { cols: 80, rows: 24 });
  const before = rssMb(host.pid);
  desk.type(FLOOD);
  await desk.until('a flood', () => desk.info.flood === true);
  // Ten megabytes of it and more, while the other session answers each time.
  for (let i = 0; i < 20; i++) {
    beside.type(`echo be""side${i}\r`);
    await beside.shows(`beside${i}`);
    await desk.until('more pictures', framesAfter(desk, 3));
  }
  expect(phone.bytes).toBeLessThan(CREDIT_STOP * 1.5);
  expect(rssMb(host.pid) - before).toBeLessThan(60);
  desk.type('\x03');
  desk.type('echo af""ter\r');
  await desk.shows('after');
  loud.device.close();
});

const framesAfter = (viewer: TerminalViewer, more: number): (() => boolean) => {
  const from = viewer.frames;
  return () => viewer.frames >= from + more;
};
const projectOf = async (shell: Awaited<ReturnType<typeof newShell>>): Promise<string> =>
  shell.device.board.sessions.get(shell.id)?.projectId ?? '';

test('pitfall 9: an endless flood is shown by pictures instead of all its bytes, without flapping', async ({
  host,
}) => {
  const { device, id } = await newShell(host);
  let pictures = 0;
  let turns = 0;
  let last: boolean | undefined;
  const viewer = await TerminalViewer.open(device, id, {
    cols: 100,
    rows: 30,
    onFrame: (frame) => {
      if (frame.type === 'frame') pictures++;
      if (viewer && viewer.info.flood !== last) turns++;
      last = viewer?.info.flood;
    },
  });
  viewer.type(FLOOD);
  await viewer.until('a flood', () => viewer.info.flood === true);
  const [bytes, from, flips] = [viewer.bytes, pictures, turns];
  await viewer.until('sixty pictures', () => pictures >= from + 60);
  // A picture is about 4 KB. The stream itself is tens of megabytes by now.
  expect(viewer.bytes - bytes).toBeLessThan(60 * 10 * 1024);
  expect(turns - flips).toBeLessThanOrEqual(2);
  viewer.type('\x03');
  device.close();
});

test('pitfall 12: what is sent again after a redial is typed once, an Enter too', async ({ host }) => {
  const { device, id, pane } = await newShell(host);
  const first = await TerminalViewer.open(device, id, { tab: 'same', cols: 100, rows: 30 });
  const typed = (inputSeq: number, keys: string) =>
    ({ type: 'input', channel: 1, inputSeq, bytes: Buffer.from(keys) }) as const;
  first.send(typed(1, 'echo on""ce\r'));
  await first.shows('once');
  first.close();
  const again = await TerminalViewer.open(device, id, { tab: 'same' });
  // The browser cannot know what had arrived, so it sends everything it holds.
  again.send(typed(1, 'echo on""ce\r'));
  again.send(typed(2, 'echo mo""re\r'));
  again.send(typed(2, 'echo mo""re\r'));
  await again.shows('more');
  const other = await TerminalViewer.open(device, id, { tab: 'other' });
  other.send(typed(1, 'echo an""other tab counts for itself\r'));
  await other.shows('another tab');
  const rows = await held(host, pane);
  expect(rows.filter((row) => row === 'once')).toHaveLength(1);
  expect(rows.filter((row) => row === 'more')).toHaveLength(1);
  device.close();
});

test('pitfall 19: a lost control client comes back with a new epoch and a whole snapshot', async ({
  host,
}) => {
  const { device, id } = await newShell(host);
  const viewer = await TerminalViewer.open(device, id, { cols: 100, rows: 30 });
  viewer.type('echo be""fore\r');
  await viewer.shows('before');
  const { epoch, snapshots } = viewer;
  const pid = (await host.tmux('list-clients', '-F', '#{client_pid} #{client_control_mode}'))
    .split('\n')
    .find((line) => line.endsWith(' 1'))
    ?.split(' ')[0];
  process.kill(Number(pid), 'SIGKILL');
  await viewer.until('a new snapshot', () => viewer.snapshots > snapshots && viewer.epoch !== epoch);
  expect(viewer.text).toContain('before');
  viewer.type('echo af""ter\r');
  await viewer.shows('after');
  device.close();
});

test('pitfall 23: nothing that outlives the host holds its output open', async ({ host }) => {
  const { device, pane } = await newShell(host);
  const closed = host.outputClosed;
  await host.kill('SIGKILL');
  await closed;
  expect((await host.tmux('display-message', '-p', '-t', pane, '#{pane_dead}')).trim()).toBe('0');
  device.close();
});

test('pitfall 4: a query gets one answer or none, however many screens show the program', async ({
  host,
  desk,
  browser,
}) => {
  const { device, id, pane, url } = await newShell(host);
  await desk.goto(url);
  const context = await browser.newContext();
  const second = await context.newPage();
  await second.goto(await host.link());
  await expect(second.getByRole('heading', { name: 'Board' })).toBeVisible();
  await second.goto(url);
  for (const page of [desk, second])
    await expect(page.locator('[data-terminal] .xterm-screen')).toBeVisible();
  const file = join(host.root, 'replies');
  const viewer = await TerminalViewer.open(device, id, { cols: 100, rows: 30 });
  // DA1, DA2, DSR, cursor, DECRQM of synchronized output, background colour, kitty keyboard, name and version.
  const queries = '\\033[c\\033[>c\\033[5n\\033[6n\\033[?2026\\$p\\033]11;?\\007\\033[?u\\033[>0q';
  viewer.type(`stty raw -echo; printf "${queries}"; timeout 2 cat > ${file}; stty sane; echo re""ad\r`);
  await viewer.shows('read');
  const replies = readFileSync(file, 'latin1');
  const count = (what: RegExp) => replies.match(what)?.length ?? 0;
  expect(count(/\x1b\[\?[\d;]+c/g), `DA1 in ${JSON.stringify(replies)}`).toBe(1);
  expect(count(/\x1b\[\d+;\d+R/g)).toBe(1);
  expect(count(/\x1b\[0n/g)).toBe(1);
  for (const what of [
    /\x1b\[>[\d;]+c/g,
    /\x1b\[\?2026;\d\$y/g,
    /\x1b\]11;rgb/g,
    /\x1b\[\?\d+u/g,
    /\x1bP>\|/g,
  ]) {
    expect(count(what), String(what)).toBeLessThanOrEqual(1);
  }
  await until('a prompt', async () => (await held(host, pane)).some((row) => row === 'read'));
  await context.close();
  device.close();
});
