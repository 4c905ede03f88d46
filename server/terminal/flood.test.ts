import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CREDIT_STOP, MAX_OUT } from '../contract';
import { typed, until } from '../tmux/testing';
import { makeTerminalBed, same, type TerminalBed } from './testing';

let bed: TerminalBed;
beforeEach(async () => {
  bed = await makeTerminalBed();
});
afterEach(() => bed.end());

const ROW = 'some text with 漢字 and a number of its own';
const rows = (count: number, of: string) =>
  Array.from({ length: count }, (_, i) => `${ROW} ${of}.${i}\r\n`).join('');

describe('a viewer that stands still', () => {
  it('pitfall 8: does not slow one that reads, and sees the whole once it goes on', async () => {
    const stage = await bed.stage('one');
    const fast = await bed.view('one');
    const slow = await bed.view('one', { acks: false });
    // No flood: each burst is printed when the one before was drawn, and no sooner than a phone could parse it.
    const bursts = 40;
    let printed = 0;
    for (let i = 0; i < bursts; i++) {
      const burst = rows(1_000, `${i}`);
      printed += Buffer.byteLength(burst);
      await Promise.all([fast.drew(stage, burst), new Promise((done) => setTimeout(done, 80))]);
    }
    expect(printed).toBeGreaterThan(2 * CREDIT_STOP);
    expect(fast.infos.some((news) => news.flood)).toBe(false);
    expect(fast.seen.snap).toBe(1);
    expect(slow.owed).toBeLessThan(CREDIT_STOP + 2 * MAX_OUT);
    slow.ack();
    await until(() => {
      slow.ack();
      return slow
        .screen()
        .join('\n')
        .includes(`${bursts - 1}.999`);
    });
    await same(bed, stage.pane, slow);
    expect(
      slow
        .history()
        .filter((row) => row.startsWith(ROW))
        .slice(-900),
    ).toEqual(
      fast
        .history()
        .filter((row) => row.startsWith(ROW))
        .slice(-900),
    );
  });

  it('pitfall 8: is owed no more by many floods than by one', async () => {
    const stage = await bed.stage('one');
    const fast = await bed.view('one');
    const slow = await bed.view('one', { acks: false });
    const wide = `${'\x1b[32mgreen\x1b[0m '.repeat(12)}\r\n`.repeat(15_000);
    for (let i = 0; i < 8; i++) {
      stage.print(`${wide}flood ${i}`);
      await fast.until('its end', () => !fast.info.flood && fast.screen().includes(`flood ${i}`));
    }
    expect(slow.owed).toBeLessThan(CREDIT_STOP + 2 * MAX_OUT + fast.biggest);
    slow.ack();
    await slow.shows('flood 7');
    await same(bed, stage.pane, slow);
  });

  it('pitfall 8: of another session has its echo and Ctrl-C in a flood', async () => {
    const pane = await bed.run('loud', [
      '/bin/sh',
      '-c',
      'trap : INT; yes "a loud line of text"; echo stopped; exec cat',
    ]);
    const stage = await bed.stage('quiet');
    const loud = await bed.view('loud');
    await bed.view('loud', { acks: false, draws: false });
    const quiet = await bed.view('quiet');
    await loud.until('a flood', () => loud.info.flood === true);
    for (let i = 0; i < 50; i++) {
      quiet.type(`${i % 10}`);
      await until(() => stage.typed().length === i + 1);
    }
    await loud.until('a flood still', () => loud.info.flood === true);
    loud.type('\x03');
    await until(() => bed.raw('capture-pane', '-p', '-t', pane).includes('stopped'));
    expect(loud.mostOwed).toBeLessThan(2 * CREDIT_STOP);
  });
});

describe('an agent that floods', () => {
  const MB = 30;
  const RUN = `$| = 0; open my $log, ">>", $ARGV[0]; $log->autoflush(1);
    while (<STDIN>) {
      my $began = time; my $line = "\\e[32ma line of \\e[1mtext\\e[0m " . "x" x 60 . "\\n";
      print $line for 1 .. ${MB} * 1024 * 1024 / length $line; printf $log "%f\\n", time - $began;
    }`;

  it('pitfall 9: runs to its end, watched or not, and is shown by a part of its bytes', async () => {
    const file = join(bed.dir, 'took');
    const pane = await bed.run('loud', [
      '/usr/bin/perl',
      '-MTime::HiRes=time',
      '-MIO::Handle',
      '-e',
      RUN,
      file,
    ]);
    let runs = 0;
    const run = async () => {
      bed.raw('send-keys', '-t', pane, 'Enter');
      runs++;
      await until(() => typed(file).trim().split('\n').filter(Boolean).length === runs);
    };
    for (let round = 0; round < 2; round++) {
      await bed.hub.stop();
      await run();
      await bed.restart();
      await until(() => bed.raw('list-clients', '-F', '#{client_control_mode}').includes('1'));
      await run();
      const viewer = await bed.view('loud');
      // Its place in the stream is how much of the flood the host has read with nobody looking.
      expect(viewer.seq).toBeLessThan(0.1 * MB * 1024 * 1024);
      const before = viewer.bytes;
      await run();
      expect(viewer.infos.some((news) => news.flood)).toBe(true);
      expect(viewer.bytes - before).toBeLessThan(0.1 * MB * 1024 * 1024);
      viewer.close();
    }
  });
});

describe('a program that prints one line for ever', () => {
  it('pitfall 9: is one flood, of which next to nothing is sent', async () => {
    const pane = await bed.run('yes', [
      '/bin/sh',
      '-c',
      'read go; timeout 4 yes "one line"; echo done; exec cat',
    ]);
    const viewer = await bed.view('yes');
    const before = viewer.bytes;
    viewer.type('\r');
    await viewer.until('its end', () => !viewer.info.flood && viewer.screen().join().includes('done'));
    await same(bed, pane, viewer);
    // One to be exact, and one more where the program itself was kept waiting; by its pictures it would be five.
    expect(viewer.infos.filter((news) => news.flood).length).toBeLessThanOrEqual(2);
    expect(viewer.bytes - before).toBeLessThan(1024 * 1024);
  });
});
