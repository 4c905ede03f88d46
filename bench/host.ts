/*
 * The host as a whole: what idle sessions cost, and how long an agent's word takes to the board. Ratios are against
 * the same host without sessions, in the same run.
 */
import { readFileSync } from 'node:fs';
import { Device } from '../e2e/kit/device';
import { TestHost, until } from '../e2e/kit/host';
import { TerminalViewer } from '../e2e/kit/viewer';
import { against, percentile } from './kit/stats';

const IDLE = Number(process.argv.find((a) => /^\d+$/.test(a)) ?? 50);
const WINDOW_MS = 10_000;
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

const cpuTicks = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // user, system, and those of waited-for children: the host's own tmux calls count as its cost.
  return [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
};
const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

async function measure(pid: number): Promise<{ cpu: number; rss: number }> {
  const before = cpuTicks(pid);
  await sleep(WINDOW_MS);
  return { cpu: ((cpuTicks(pid) - before) / 100 / (WINDOW_MS / 1000)) * 100, rss: rssMb(pid) };
}

const host = await new TestHost().start();
try {
  const pid = host.pid;
  const device = await (await Device.enrol(await host.link())).connect();
  const project = await device.project(await host.repository());
  const empty = await measure(pid);
  for (let i = 0; i < IDLE; i++) await device.start(project, '', { vendor: 'terminal', name: `t${i}` });
  await until('all idle', async () => (await host.sessions()).every((s) => s.state === 'idle'));
  const full = await measure(pid);
  console.log(`\n${IDLE} idle sessions`);
  console.table({
    'no session': { 'cpu % of a core': empty.cpu.toFixed(2), 'RSS MB': empty.rss.toFixed(0) },
    [`${IDLE} sessions`]: { 'cpu % of a core': full.cpu.toFixed(2), 'RSS MB': full.rss.toFixed(0) },
    ratio: { 'cpu % of a core': '', 'RSS MB': (full.rss / empty.rss).toFixed(2) },
    budget: { 'cpu % of a core': '1.00', 'RSS MB': '250' },
  });

  // Pitfall 20: output that nobody looks at must not cost more than output that somebody does.
  const shells = [...device.board.sessions.values()].filter((one) => one.pane !== null);
  const all = (keys: string[]) =>
    Promise.all(shells.map((one) => host.tmux('send-keys', '-t', one.pane ?? '', ...keys)));
  await all(['while :; do echo chatter; sleep 0.1; done', 'Enter']);
  const unwatched = await measure(pid);
  const viewer = await TerminalViewer.open(device, shells[0]?.id ?? '', { cols: 100, rows: 30 });
  await viewer.shows('chatter');
  const watched = await measure(pid);
  viewer.close();
  await all(['C-c']);
  console.log(`\n${shells.length} sessions that print ten times a second`);
  console.table({
    'nobody looks': { 'cpu % of a core': unwatched.cpu.toFixed(2) },
    'one viewer': { 'cpu % of a core': watched.cpu.toFixed(2) },
    ratio: { 'cpu % of a core': against(unwatched.cpu / watched.cpu, 1.3) },
  });

  // The agent writes the moment into its own activity line; the board hears it through hook, log and socket.
  const session = await device.start(
    project,
    Array.from({ length: 60 }, () => 'say .\nask true').join('\n'),
    { name: 'latency' },
  );
  const delays: number[] = [];
  const roundTrips: number[] = [];
  for (let i = 0; i < 60; i++) {
    const need = await until('asked', () =>
      [...device.board.needs.values()].find((n) => n.sessionId === session.id && n.state === 'pending'),
    );
    delays.push(Date.now() - need.created);
    const began = performance.now();
    await device.query('host.info');
    roundTrips.push(performance.now() - began);
    await device.answer(need, 'allow');
    await until('taken', () => device.board.needs.get(need.id)?.state !== 'pending');
  }
  console.log('\nhook event recorded → row at the device (ms; the poll of this program adds up to 60)');
  console.table({
    'event → board': { p50: percentile(delays, 50), p95: percentile(delays, 95) },
    'a plain call, same socket': {
      p50: percentile(roundTrips, 50).toFixed(1),
      p95: percentile(roundTrips, 95).toFixed(1),
    },
    budget: { p95: 150 },
  });
  device.close();
} finally {
  await host.dispose();
}
