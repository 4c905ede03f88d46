import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../tmux/testing';
import { makeTerminalBed, type TerminalBed } from './testing';

let bed: TerminalBed;
beforeEach(async () => {
  bed = await makeTerminalBed();
});
afterEach(() => bed.end());

describe('a paste', () => {
  const text = Array.from({ length: 4_000 }, (_, i) => `line ${i} of a long text, ünï 漢字;\n`).join('');

  it.each([
    ['an application that did not ask for brackets', '', '', ''],
    ['one that did', '\x1b[?2004h', '\x1b[200~', '\x1b[201~'],
  ])(
    'pitfall 11: of 200 KB into %s is whole and in order, between the keys of others',
    async (_, modes, open, close) => {
      const stage = await bed.stage('one');
      const [desk, phone] = [await bed.view('one'), await bed.view('one')];
      await desk.drew(stage, `${modes}ready`);
      desk.type('<');
      desk.paste(text);
      desk.type('>');
      // Typed by somebody else meanwhile, while the paste is read by a process of its own.
      for (let i = 0; i < 50; i++) phone.type('k');
      desk.paste('second');
      const whole = `<${open}${text}${close}>`;
      await until(
        () => stage.typed().length >= whole.length + 50 + open.length + close.length + 'second'.length,
      );
      const typed = stage.typed();
      expect(typed.replace(/k{50}/, '') === `${whole}${open}second${close}`).toBe(true);
      // The keys are nowhere within: they stand together, behind the paste that was there first.
      expect(typed.indexOf('k'.repeat(50))).toBeGreaterThanOrEqual(whole.length - 1);
      expect(bed.raw('list-buffers')).toBe('');
    },
  );

  it('pitfall 11: an Enter behind it never overtakes it', async () => {
    const stage = await bed.stage('one');
    const desk = await bed.view('one');
    let said = '';
    for (let i = 0; i < 30; i++) {
      desk.paste(`text ${i}`);
      desk.type('\r');
      said += `text ${i}\r`;
    }
    await until(() => stage.typed().length >= said.length);
    expect(stage.typed()).toBe(said);
  });

  it('pitfall 11: whose end never comes is not typed, not even as the beginning of another', async () => {
    const stage = await bed.stage('one');
    const desk = await bed.view('one');
    desk.send({ type: 'paste', channel: 1, inputSeq: 1, last: false, bytes: Buffer.from('rm -rf ') });
    desk.close();
    desk.connect();
    desk.send({ type: 'paste', channel: 1, inputSeq: 2, last: true, bytes: Buffer.from('whole') });
    await until(() => stage.typed() !== '');
    expect(stage.typed()).toBe('whole');
  });
});

describe('what is pasted into a pane that is not there', () => {
  it('is not kept by tmux', async () => {
    const pane = await bed.run('gone', ['/bin/cat']);
    const viewer = await bed.view('gone');
    bed.raw('kill-pane', '-t', pane);
    viewer.paste('a secret');
    const stage = await bed.stage('here');
    const other = await bed.view('here');
    other.paste('text');
    await until(() => stage.typed() === 'text');
    await until(() => bed.raw('list-buffers') === '');
  });
});

describe('what is typed', () => {
  it('pitfall 12: counts once, however often a redial sends it', async () => {
    const stage = await bed.stage('one');
    const desk = await bed.view('one');
    const send = (inputSeq: number, keys: string) =>
      desk.send({ type: 'input', channel: 1, inputSeq, bytes: Buffer.from(keys) });
    send(1, 'yes');
    send(2, '\r');
    for (let i = 0; i < 5; i++) {
      desk.close();
      desk.connect();
      send(1, 'yes');
      send(2, '\r');
      desk.send({ type: 'paste', channel: 1, inputSeq: 2, last: true, bytes: Buffer.from('again') });
    }
    send(3, 'no');
    // Another tab counts by itself, and this tab counts by itself in another session.
    const phone = await bed.view('one');
    phone.type('first');
    await until(() => stage.typed().endsWith('first'));
    expect(stage.typed()).toBe('yes\rnofirst');
  });

  it('pitfall 12: while there is no connection to tmux is typed once or not at all', async () => {
    const stage = await bed.stage('one');
    const desk = await bed.view('one');
    const { epoch } = desk;
    desk.type('a');
    await until(() => stage.typed() === 'a');
    bed.raw('detach-client', '-s', '=hub');
    await until(() => !bed.raw('list-clients', '-F', '#{client_control_mode}').includes('1'));
    desk.type('\r');
    await desk.until('a new snapshot', () => desk.epoch !== epoch);
    desk.type('b');
    await until(() => stage.typed().endsWith('b'));
    expect(stage.typed()).toMatch(/^a\r?b$/);
  });
});
