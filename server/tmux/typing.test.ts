import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanPaste } from './index';
import { descendants } from './pane-handle';
import { type Bed, makeBed, recorder, typed, until } from './testing';

let bed: Bed;
beforeEach(() => {
  bed = makeBed();
});
afterEach(() => bed.end());

const ID = 'sessionone';
const ready = (pane: string) =>
  until(async () => (await bed.tmux.access(pane).screen()).some((line) => line.includes('ready')));

describe('cleaning a paste', () => {
  it('leaves text, tabs and line ends only', () => {
    expect(cleanPaste('a\tb\r\nc\rd\ne')).toBe('a\tb\nc\nd\ne');
    expect(cleanPaste('x\u001b[201~y\u009b201~z\u0003\u007f\u0000\u0085')).toBe('x[201~y201~z');
    expect(cleanPaste('ünï ☃ 👩‍💻 日本')).toBe('ünï ☃ 👩‍💻 日本');
  });
  it('holds for every text, and cleaning again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const clean = cleanPaste(text);
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(cleanPaste(clean)).toBe(clean);
      }),
    );
  });
});

describe('pasting', () => {
  it.each([
    'plain',
    'ends with a semicolon;',
    '; kill-server',
    '#(touch m) #{pane_id} $(touch m) `touch m`',
    '-option',
    'Enter',
    'it\'s "quoted" \\ back',
    'two\nlines\tand a tab',
    'ünï ☃ 日本',
    '!touch m',
  ])('%j arrives exactly, in brackets when the program asked for them', async (text) => {
    const file = join(bed.dir, 'typed');
    const pane = await bed.start(ID, { argv: recorder(file, true) });
    await ready(pane);
    await bed.tmux.access(pane).paste(text);
    await until(() => typed(file).endsWith('\u001b[201~'));
    expect(typed(file)).toBe(`\u001b[200~${text}\u001b[201~`);
    expect(existsSync(join(bed.dir, 'm'))).toBe(false);
    expect(bed.raw('list-buffers')).toBe('');
  });

  it('pitfall 11: is not bracketed for a program that did not ask', async () => {
    const file = join(bed.dir, 'typed');
    const pane = await bed.start(ID, { argv: recorder(file, false) });
    await ready(pane);
    await bed.tmux.access(pane).paste('two\nlines;');
    await until(() => typed(file) === 'two\nlines;');
  });

  it('pitfall 11: carries 200 KB whole and keeps two pastes apart', async () => {
    const file = join(bed.dir, 'typed');
    const pane = await bed.start(ID, { argv: recorder(file, false) });
    await ready(pane);
    const texts = ['a', 'b'].map((letter) => `${letter.repeat(99)}\n`.repeat(1000));
    await Promise.all(texts.map((text) => bed.tmux.access(pane).paste(text)));
    await until(() => typed(file).length >= 200_000);
    expect([texts.join(''), texts.toReversed().join('')]).toContain(typed(file));
  });

  it('cannot leave the brackets: an embedded end runs nothing', async () => {
    const marker = join(bed.dir, 'fired');
    const shell = { argv: ['/bin/bash', '--norc', '-i'], env: { ...bed.env, PS1: 'ready> ', HISTFILE: '' } };
    const pane = await bed.start(ID, shell);
    await ready(pane);
    const attack = (end: string) => `echo ${end}\ntouch ${marker}\n`;
    for (const end of ['\u001b[201~', '\u009b201~', '\u001b\u001b[201~']) {
      await bed.tmux.access(pane).paste(attack(end));
    }
    // The shell has handled all of the paste once a key typed after it shows.
    await bed.tmux.access(pane).paste('echo the-end');
    await until(async () => (await bed.tmux.access(pane).screen()).join('').includes('the-end'));
    expect(existsSync(marker)).toBe(false);
    // The control: the same text past the cleaning does run the command.
    const other = await bed.start('sessiontwo', shell);
    await ready(other);
    bed.raw('set-buffer', '-b', 'raw', attack('\u001b[201~'));
    bed.raw('paste-buffer', '-p', '-r', '-b', 'raw', '-t', other);
    await until(() => existsSync(marker));
  });
});

describe('what may be typed', () => {
  it('is one of four keys', async () => {
    const file = join(bed.dir, 'typed');
    const pane = await bed.start(ID, { argv: recorder(file, false) });
    await ready(pane);
    const handle = bed.tmux.access(pane);
    for (const key of ['Enter', 'Escape', 'C-s', 'C-c'] as const) await handle.key(key);
    await until(() => typed(file) === '\r\u001b\u0013\u0003');
    await expect(handle.key('y' as 'Enter')).rejects.toMatchObject({ code: 'bad-input' });
    expect(() => bed.tmux.access('hub:0')).toThrow(/is no pane/);
  });

  it('is nothing in copy mode, where keys would scroll', async () => {
    const file = join(bed.dir, 'typed');
    const pane = await bed.start(ID, { argv: recorder(file, false) });
    await ready(pane);
    const handle = bed.tmux.access(pane);
    bed.raw('copy-mode', '-t', pane);
    await expect(handle.paste('x')).rejects.toMatchObject({ code: 'conflict', hint: expect.any(String) });
    await expect(handle.key('Enter')).rejects.toMatchObject({ code: 'conflict' });
    expect(bed.raw('list-buffers')).toBe('');
    bed.raw('send-keys', '-t', pane, '-X', 'cancel');
    await handle.paste('after');
    await until(() => typed(file) === 'after');
  });

  it('is nothing in a pane that died or was closed', async () => {
    const pane = await bed.start(ID, { argv: ['/bin/false'] });
    const handle = bed.tmux.access(pane);
    await until(async () => !(await handle.alive()));
    await expect(handle.paste('x')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/ended/),
    });
    await expect(handle.key('Enter')).rejects.toMatchObject({ code: 'conflict' });
    await bed.tmux.close(pane);
    await expect(handle.paste('x')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/closed/),
    });
    expect(await handle.title()).toBe('');
    expect(bed.raw('list-buffers')).toBe('');
  });
});

describe('a pane id from before the server was started again', () => {
  it('does not lead into the session that has it now', async () => {
    const file = join(bed.dir, 'typed');
    const old = await bed.start(ID, { argv: ['/bin/cat'] });
    bed.raw('kill-server');
    const pane = await bed.start('sessiontwo', { argv: recorder(file, false) });
    expect(pane).toBe(old); // the danger is real
    await ready(pane);
    const stale = bed.tmux.access(old, ID);
    expect(await stale.alive()).toBe(false);
    expect(await stale.pid()).toBeNull();
    await expect(stale.screen()).rejects.toMatchObject({ code: 'conflict' });
    await expect(stale.paste('wrong')).rejects.toMatchObject({ code: 'conflict' });
    await expect(stale.key('Enter')).rejects.toMatchObject({ code: 'conflict' });
    await bed.tmux.close(old, ID);
    await bed.tmux.access(pane, 'sessiontwo').paste('right');
    await until(() => typed(file) === 'right');
  });
});

describe('looking at a pane', () => {
  it('shows the screen as text, with colours when asked', async () => {
    const pane = await bed.start(ID, {
      argv: ['/bin/sh', '-c', "printf '\\033[31mred\\033[0m ünï\\nready'; exec cat"],
    });
    await ready(pane);
    const handle = bed.tmux.access(pane);
    const plain = await handle.screen();
    expect(plain).toHaveLength(24);
    expect(plain.slice(0, 2)).toEqual(['red ünï', 'ready']);
    expect((await handle.screen({ escapes: true }))[0]).toContain('\u001b[31mred');
  });

  it('knows the program’s descendants', async () => {
    const pane = await bed.start(ID, { argv: ['/bin/sh', '-c', 'sh -c "sleep 600 & wait" & wait'] });
    const handle = bed.tmux.access(pane);
    const pids = await until(async () => {
      const all = await handle.processes();
      return all.length === 3 ? all : null;
    });
    expect(pids[0]).toBe(await handle.pid());
    expect(descendants(1, ' 2 1\n3 2\n9 8\n1 0\n')).toEqual([1, 2, 3]);
  });
});
