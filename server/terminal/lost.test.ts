import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentJournal } from '../platform';
import { until } from '../tmux/testing';
import { createTerminal, type Terminal } from './index';
import { makeTerminalBed, same, type TerminalBed, TestViewer } from './testing';

let bed: TerminalBed;
beforeEach(async () => {
  bed = await makeTerminalBed();
});
afterEach(() => bed.end());

/** The control clients of tmux, without those of people. */
const clients = () =>
  bed
    .raw('list-clients', '-F', '#{client_control_mode} #{client_name}')
    .split('\n')
    .filter((line) => line.startsWith('1 '))
    .map((line) => line.slice(2));

describe('a control client that ends', () => {
  it('pitfall 19: is there again, and every viewer begins anew and goes on', async () => {
    const stage = await bed.stage('one');
    const viewers = [await bed.view('one'), await bed.view('one')];
    for (const viewer of viewers) await viewer.drew(stage, 'before\r\n');
    for (let round = 1; round <= 3; round++) {
      const [client] = clients();
      const epochs = viewers.map((viewer) => viewer.epoch);
      bed.raw('detach-client', '-t', client ?? '');
      stage.print(`while it was away ${round}\r\n`);
      for (const [i, viewer] of viewers.entries()) {
        await viewer.until('a new snapshot', () => viewer.epoch !== epochs[i]);
        await same(bed, stage.pane, viewer);
        expect(viewer.seen.snap).toBeGreaterThan(round);
        await viewer.drew(stage, `after ${round}\r\n`);
      }
      viewers[0]?.type('k');
      await until(() => stage.typed() === 'k'.repeat(round));
      expect(clients()).toHaveLength(1);
    }
  });

  it('pitfall 19: leaves a viewer whose line was down to a snapshot, not to an old place', async () => {
    const stage = await bed.stage('one');
    const viewer = await bed.view('one');
    await viewer.drew(stage, 'before\r\n');
    viewer.close();
    stage.print('while both were away\r\n');
    await bed.restart();
    const other = await bed.view('one');
    // As far as the old place, so that it would seem to be one of this connection.
    await other.drew(stage, 'x'.repeat(viewer.seq ?? 0));
    viewer.connect();
    await viewer.until('a snapshot', () => viewer.seen.snap === 2);
    await same(bed, stage.pane, viewer);
  });

  it('pitfall 19: comes back to a tmux that crashed, and says which terminals are not there', async () => {
    await bed.stage('one');
    const viewer = await bed.view('one');
    process.kill((await bed.tmux.probe()).pid!, 'SIGKILL');
    await until(async () => !(await bed.tmux.alive()));
    // What a viewer asks for while there is nothing to ask is answered later; the hub must not spin meanwhile.
    viewer.send({ type: 'history', channel: 1, lines: 1 });
    const late = new TestViewer(bed, 'one', { tab: 'late' });
    await bed.tmux.ensureServer();
    await viewer.until('the word', () => viewer.info.gone === true);
    await late.until('the word', () => late.info.gone === true);
    // The session is resumed: a new window, perhaps with the number of the old.
    const stage = await bed.stage('one');
    for (const each of [viewer, late]) {
      await each.until('the new screen', () => each.info.gone === false);
      await each.drew(stage, 'resumed');
      await same(bed, stage.pane, each);
    }
  });

  it('pitfall 19: leaves the size that was decided, also to a window that is opened later', async () => {
    const { pane } = await bed.stage('one');
    const viewer = await bed.view('one');
    const size = (of: string) =>
      bed.raw('display-message', '-p', '-t', of, '#{pane_width}x#{pane_height}').trim();
    viewer.claim(97, 31);
    await until(() => size(pane) === '97x31');
    // Resumed: the same session in another window.
    bed.raw('kill-pane', '-t', pane);
    const stage = await bed.stage('one');
    await until(() => size(stage.pane) === '97x31');
    await viewer.until('the size', () => viewer.term.cols === 97 && viewer.term.rows === 31);
    // Claimed while there was no connection.
    const { epoch } = viewer;
    bed.raw('detach-client', '-s', '=hub');
    await until(() => clients().length === 0);
    viewer.claim(88, 28);
    await viewer.until('a new snapshot', () => viewer.epoch !== epoch);
    await until(() => size(stage.pane) === '88x28');
    await viewer.until('the size', () => viewer.term.cols === 88);
  });

  it('pitfall 19: is not confused by a pane that is not there', async () => {
    const stage = await bed.stage('one');
    const [viewer, lost] = [await bed.view('one'), await bed.run('two', ['/bin/cat'])];
    const other = await bed.view('two');
    bed.raw('kill-pane', '-t', lost);
    // Each of these is a line of several commands of which the first fails and the rest is not carried out.
    for (let i = 0; i < 20; i++) other.send({ type: 'history', channel: 1, lines: 1 });
    await other.until('the word', () => other.info.gone === true);
    await viewer.drew(stage, 'still here');
    viewer.send({ type: 'history', channel: 1, lines: 1 });
    await viewer.until('a snapshot', () => viewer.seen.snap === 2);
    await same(bed, stage.pane, viewer);
  });
});

describe('the terminal’s thread', () => {
  /** The terminal over a thread that does this with each message `m`. */
  async function over(script: string, act: (terminal: Terminal) => Promise<void>): Promise<void> {
    const workerFile = join(bed.dir, 'worker.mjs');
    writeFileSync(
      workerFile,
      `import { parentPort } from 'node:worker_threads';
       const send = (id, size) => parentPort.postMessage({ t: 'send', id, bytes: new Uint8Array(size) });
       parentPort.on('message', (m) => { ${script}; if (m.t === 'stop') parentPort.close(); });`,
    );
    const terminal = createTerminal({ workerFile, journal: silentJournal, tmux: '', socket: '', env: {} });
    terminal.start();
    await act(terminal).finally(() => terminal.close());
  }
  const frame = new Uint8Array([4, 0, 1]);

  it('pitfall 19: that ends is begun again, and its viewers are made to dial again', async () => {
    await over("if (m.t === 'open') send(m.id, 1); if (m.t === 'data') process.exit(1)", async (terminal) => {
      for (let round = 0; round < 2; round++) {
        const seen = { sent: 0, dropped: 0 };
        const client = terminal.connect({
          clientId: 'one',
          canType: true,
          send: () => seen.sent++,
          buffered: () => 0,
          drop: () => seen.dropped++,
        });
        await until(() => seen.sent === 1);
        client.receive(frame);
        await until(() => seen.dropped === 1);
      }
    });
  });

  it('pitfall 8: a viewer whose network takes nothing dials again, and is not sent a stream with holes', async () => {
    await over(
      "if (m.t === 'data') send(m.id, 1024 * 1024); if (m.t === 'close') send(2, 1)",
      async (terminal) => {
        const seen = { bytes: 0, dropped: 0, fence: 0 };
        const client = terminal.connect({
          clientId: 'one',
          canType: true,
          send: (bytes) => {
            seen.bytes += bytes.length;
          },
          buffered: () => seen.bytes,
          drop: () => {
            seen.dropped++;
            client.close();
          },
        });
        const fence = { clientId: 'two', canType: true, buffered: () => 0, drop: () => {} };
        terminal.connect({ ...fence, send: () => seen.fence++ });
        for (let i = 0; i < 20; i++) client.receive(frame);
        await until(() => seen.fence === 1); // all that was sent to the first has come by then
        expect(seen.dropped).toBe(1);
        expect(seen.bytes).toBeLessThan(10 * 1024 * 1024);
      },
    );
  });
});
