/*
 * The terminal through the host against a plain `tmux attach`, in the same run: how soon a key is seen, what a flood
 * costs the agent and its viewers, how soon a screen is there. Budgets are those of the design.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Device } from '../e2e/kit/device';
import { TestHost, until } from '../e2e/kit/host';
import { TerminalViewer } from '../e2e/kit/viewer';
import { Native } from './kit/native';
import { against, percentile, times } from './kit/stats';

const KEYS = 250;
const WARM_UP = 30;
const FLOOD_MB = 40;
const SHORT_MB = 5;
const PAUSE_MS = 500;
const ESCAPES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()].|[=>78M]|\][^\x07]*\x07)/g;
const PROMPT = /[#$] /;
const sleep = (wait: number) => new Promise((done) => setTimeout(done, wait));
const ms = (value: number): string => `${value.toFixed(2)} ms`;

const host = await new TestHost().start();
const native = new Native(host);
try {
  const device = await (await Device.enrol(await host.link())).connect();
  const project = await device.project(await host.repository());
  const shell = async () => {
    const session = await device.start(project, '', { vendor: 'terminal' });
    const viewer = await TerminalViewer.open(device, session.id, { cols: 120, rows: 32 });
    await viewer.until('a prompt', () => PROMPT.test(viewer.text));
    return { id: session.id, viewer };
  };

  /** Keys one after another, each when the one before was seen. Letters alternate so that none looks like the last. */
  const echoes = async (side: { type(keys: string): void; until: Native['until']; text: string }) => {
    const took: number[] = [];
    for (let i = 0; i < KEYS + WARM_UP; i++) {
      if (i % 60 === 59) side.type('\x15');
      const letter = String.fromCharCode(97 + (i % 26));
      side.text = '';
      const began = performance.now();
      side.type(letter);
      // The last byte of an escape sequence is a letter too, and no echo.
      await side.until('echo', () => side.text.replace(ESCAPES, '').includes(letter));
      if (i >= WARM_UP) took.push(performance.now() - began);
      // As fingers do: keys without a pause would find every process awake.
      await sleep(5 + (i % 7) * 2);
    }
    return took;
  };

  // 1. key → echo
  const one = await shell();
  one.viewer.type('cat\r');
  await native.run('cat');
  await native.attach();
  await native.until('the first screen', () => native.bytes > 0);
  const nativeEcho = await echoes(native);
  const ours = await echoes(one.viewer);
  const row = (values: number[]) => ({
    p50: ms(percentile(values, 50)),
    p95: ms(percentile(values, 95)),
    p99: ms(percentile(values, 99)),
  });
  const ratio = (p: number) => percentile(ours, p) / percentile(nativeEcho, p);
  console.log(`\nkey → echo, ${KEYS} keys`);
  console.table({
    'tmux attach': row(nativeEcho),
    'through the host': row(ours),
    ratio: { p50: against(ratio(50), 3), p95: against(ratio(95), 3.5), p99: times(ratio(99)) },
  });
  native.detach();
  one.viewer.type('\x04');

  // 2. floods: the program measures itself, so what it says is the agent's own rate
  const line = `${Array.from({ length: 8 }, (_, i) => `\x1b[3${i}mword${i} of a coloured line `).join('')}\x1b[0m\n`;
  const fileOf = (mb: number) => {
    const path = join(host.root, `flood-${mb}.txt`);
    writeFileSync(path, line.repeat(Math.ceil((mb * 1024 * 1024) / line.length)));
    return path;
  };
  const big = fileOf(FLOOD_MB);
  const short = fileOf(SHORT_MB);
  let runs = 0;
  const command = (file: string) => {
    const out = join(host.root, `took-${++runs}`);
    // Time to close the viewer before it begins; no part of what is measured.
    const text = `sleep ${PAUSE_MS / 1000}; s=$(date +%s%N); cat ${file}; e=$(date +%s%N); echo $((e-s)) > ${out}; echo DO""NE${runs}`;
    const took = async () =>
      Number(
        await until(
          'the flood ended',
          () => {
            try {
              return readFileSync(out, 'utf8').trim();
            } catch {
              return null;
            }
          },
          120_000,
        ),
      ) / 1e6;
    return { text, took, mark: `DONE${runs}` };
  };
  interface Flood {
    agent: number;
    seen: number | null;
    bytes: number;
  }
  const nativeFlood = async (file: string, attached: boolean): Promise<Flood> => {
    const job = command(file);
    await native.run('/bin/bash --norc --noprofile');
    await native.attach();
    await native.until('a prompt', () => PROMPT.test(native.text));
    native.bytes = 0;
    const began = performance.now();
    native.type(`${job.text}\r`);
    await native.until('the command', () => native.text.includes('sleep'));
    if (!attached) native.detach();
    else await native.until('the end', () => native.text.includes(job.mark), 120_000);
    const seen = attached ? performance.now() - began - PAUSE_MS : null;
    const agent = await job.took();
    const { bytes } = native;
    native.detach();
    return { agent, seen, bytes };
  };
  const hostFlood = async (file: string, viewers: 0 | 1 | 2): Promise<Flood> => {
    const { id, viewer } = await shell();
    const idle = viewers === 2 ? await TerminalViewer.open(device, id, { acks: false }) : null;
    const job = command(file);
    const before = viewer.bytes;
    const began = performance.now();
    viewer.type(`${job.text}\r`);
    await viewer.shows('sleep');
    if (viewers === 0) viewer.close();
    else await viewer.until('the end', () => viewer.text.includes(job.mark), 120_000);
    const seen = viewers > 0 ? performance.now() - began - PAUSE_MS : null;
    const agent = await job.took();
    const bytes = viewer.bytes - before;
    viewer.close();
    idle?.close();
    await device.mutate('sessions.end', { id });
    return { agent, seen, bytes };
  };
  const free = await nativeFlood(big, false);
  const attached = await nativeFlood(big, true);
  const none = await hostFlood(big, 0);
  const watched = await hostFlood(big, 1);
  const slow = await hostFlood(big, 2);
  const shown = (flood: Flood, budget: number | null) => ({
    'agent wrote it in': ms(flood.agent),
    'its rate against no client':
      budget === null ? times(free.agent / flood.agent) : against(free.agent / flood.agent, budget, false),
    'seen to its end': flood.seen === null ? '' : ms(flood.seen),
    'to the viewer': `${((flood.bytes / FLOOD_MB / 1024 / 1024) * 100).toFixed(2)} %`,
  });
  console.log(`\n${FLOOD_MB} MB of coloured output`);
  console.table({
    'tmux, no client': shown(free, null),
    'tmux attach': shown(attached, null),
    'host, no viewer': shown(none, 0.9),
    'host, one viewer': shown(watched, 0.9),
    'host, a second viewer that stands still': shown(slow, 0.9),
  });
  console.table({
    'seen to its end, against tmux attach': against((watched.seen ?? 0) / (attached.seen ?? 1), 1.2),
    'bytes to the viewer': `${((watched.bytes / FLOOD_MB / 1024 / 1024) * 100).toFixed(2)} % (≤ 3 %)`,
    'a viewer beside one that stands still': times((slow.seen ?? 0) / (watched.seen ?? 1)),
  });
  const shortNative = await nativeFlood(short, true);
  const shortHost = await hostFlood(short, 1);
  console.log(`\na short flood of ${SHORT_MB} MB`);
  console.table({
    'tmux attach': { 'seen to its end': ms(shortNative.seen ?? 0) },
    host: { 'seen to its end': ms(shortHost.seen ?? 0) },
    ratio: { 'seen to its end': against((shortHost.seen ?? 0) / (shortNative.seen ?? 1), 1.5) },
  });

  // 3. another session's echo, and Ctrl-C, while one floods
  const loud = await shell();
  const quiet = await shell();
  quiet.viewer.type('cat\r');
  const calm = await echoes(quiet.viewer);
  loud.viewer.type(`while :; do cat ${big}; done\r`);
  await loud.viewer.until('a flood', () => loud.viewer.info.flood === true);
  const beside = await echoes(quiet.viewer);
  const stops: number[] = [];
  for (let i = 0; i < 7; i++) {
    const mark = `STOP${i}`;
    const began = performance.now();
    loud.viewer.type('\x03');
    loud.viewer.type(`echo ST""OP${i}\r`);
    await loud.viewer.until('the prompt', () => loud.viewer.text.includes(mark));
    stops.push(performance.now() - began);
    await loud.viewer.until('calm', () => loud.viewer.info.flood === false);
    loud.viewer.type(`while :; do cat ${big}; done\r`);
    await loud.viewer.until('a flood', () => loud.viewer.info.flood === true);
  }
  loud.viewer.type('\x03');
  console.log('\nwhile another session floods');
  console.table({
    'echo, quiet': row(calm),
    'echo, beside a flood': row(beside),
    ratio: {
      p50: against(percentile(beside, 50) / percentile(calm, 50), 2),
      p95: times(percentile(beside, 95) / percentile(calm, 95)),
    },
    'Ctrl-C to the prompt': {
      p50: `${ms(percentile(stops, 50))} (≤ 150 ms) ${percentile(stops, 50) <= 150 ? 'ok' : 'OVER'}`,
      p95: ms(percentile(stops, 95)),
    },
  });
  loud.viewer.close();
  quiet.viewer.close();

  // 4. a screen with history: cold, and after a cut of the line
  const long = await shell();
  long.viewer.type('for i in $(seq 11000); do echo "line $i of the history"; done; echo EN""D\r');
  await long.viewer.shows('END');
  await until('calm', () => long.viewer.info.flood !== true);
  await native.run(
    `/bin/bash --norc -c 'for i in $(seq 11000); do echo "line $i of the history"; done; echo END; exec cat'`,
  );
  const median = async (measure: () => Promise<number>) => {
    const took: number[] = [];
    for (let i = 0; i < 15; i++) took.push(await measure());
    return percentile(took, 50);
  };
  const nativeAttach = await median(async () => {
    const began = performance.now();
    await native.attach();
    await native.until('the screen', () => native.text.includes('END'));
    const took = performance.now() - began;
    native.detach();
    return took;
  });
  const cold = await median(async () => {
    const began = performance.now();
    const viewer = await TerminalViewer.open(device, long.id);
    await viewer.until('a snapshot', () => viewer.snapshots > 0);
    const took = performance.now() - began;
    viewer.close();
    return took;
  });
  let resumed = 0;
  const resume = await median(async () => {
    const { epoch, seq } = long.viewer;
    long.viewer.type(`echo A""GAIN${++resumed}\r`);
    await long.viewer.shows(`AGAIN${resumed}`);
    const began = performance.now();
    const viewer = await TerminalViewer.open(device, long.id, { from: { epoch, seq } });
    await viewer.shows(`AGAIN${resumed}`);
    const took = performance.now() - began;
    if (viewer.snapshots > 0) throw new Error('resumed with a snapshot instead of by sequence');
    viewer.close();
    return took;
  });
  console.log('\na screen with 10,000 lines behind it (a new socket with its proof each time)');
  console.table({
    'tmux attach': { median: ms(nativeAttach), ratio: '' },
    'host, cold': { median: ms(cold), ratio: against(cold / nativeAttach, 3.5) },
    'host, resumed by sequence': { median: ms(resume), ratio: against(resume / nativeAttach, 1) },
  });

  // 5. the host dies in a flood
  const orphan = await shell();
  const job = command(big);
  orphan.viewer.type(`${job.text}\r`);
  await orphan.viewer.shows('sleep');
  await host.kill('SIGKILL');
  const dead = await job.took();
  console.log('\nthe host is killed before the flood');
  console.table({
    'tmux, no client': { 'agent wrote it in': ms(free.agent) },
    'host dead': { 'agent wrote it in': ms(dead), rate: against(free.agent / dead, 0.95, false) },
  });
} finally {
  await native.close();
  await host.dispose();
}
