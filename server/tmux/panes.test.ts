import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processAlive } from '../platform';
import { parseList } from './pane-list';
import { type Bed, makeBed, until } from './testing';

let bed: Bed;
beforeEach(() => {
  bed = makeBed();
});
afterEach(() => bed.end());

const ID = 'sessionone';
const row = async (pane: string) => (await bed.tmux.list())?.find((r) => r.pane === pane);
const bytesIn = (dir: string): string[] =>
  readdirSync(Buffer.from(dir), { encoding: 'buffer' }).map((name) => name.toString('latin1'));
/** A program that writes what it was given, byte exact and NUL separated, and stays. */
const report = (to: string, ...more: string[]) => [
  '/bin/sh',
  '-c',
  'pwd -P > "$0.cwd"; printf "%s\\0" "$@" > "$0.argv"; env -0 > "$0.env"; stty size > "$0.size"; touch "$0"; exec cat',
  to,
  ...more,
];

describe('opening a session', () => {
  it('gives a window in the hub, of the wanted size from its first moment, and finds it again', async () => {
    const out = join(bed.dir, 'report');
    const pane = await bed.start(ID, { argv: report(out) });
    await until(() => existsSync(out));
    expect(readFileSync(`${out}.size`, 'utf8')).toBe('24 80\n');
    expect(await row(pane)).toMatchObject({
      sid: ID,
      service: '',
      dead: false,
      exitCode: null,
      cols: 80,
      rows: 24,
    });
    expect(bed.raw('display-message', '-p', '-t', pane, '#{session_name}:#{window_name}')).toBe(
      `hub:${ID}\n`,
    );
    expect((await bed.tmux.list())?.filter((r) => r.sid === '')).toHaveLength(1); // the keeper
    await bed.tmux.resize(pane, 100, 40);
    expect(await row(pane)).toMatchObject({ cols: 100, rows: 40 });
  });

  it('never doubles a living one, also when asked twice at once', async () => {
    const panes = await Promise.all([1, 2, 3].map(() => bed.start(ID, { argv: ['/bin/cat'] })));
    expect(new Set(panes).size).toBe(1);
    expect((await bed.tmux.list())?.filter((r) => r.sid === ID)).toHaveLength(1);
    const other = await bed.start('sessiontwo', { argv: ['/bin/cat'] });
    expect(other).not.toBe(panes[0]);
  });

  it('replaces what is left of a dead one', async () => {
    const first = await bed.start(ID, { argv: ['/bin/false'] });
    await until(async () => (await row(first))?.dead);
    const second = await bed.start(ID, { argv: ['/bin/cat'] });
    expect((await bed.tmux.list())?.filter((r) => r.sid === ID).map((r) => r.pane)).toEqual([second]);
  });

  it('refuses a name that tmux could read as something else', async () => {
    await bed.tmux.ensureServer();
    for (const id of ['#(touch m)', 'a;b', 'a b', '', '=x', 'A', 'x:y']) {
      await expect(bed.tmux.open({ id, launchFile: '/x', cols: 80, rows: 24 })).rejects.toMatchObject({
        code: 'bad-input',
      });
    }
  });

  it('pitfall 2: makes a window without a client while others exist, and the server lives', async () => {
    // A global `window-size manual` crashes tmux here.
    for (const id of ['sessiona', 'sessionb', 'sessionc']) await bed.start(id, { argv: ['/bin/cat'] });
    expect((await bed.tmux.list())?.map((r) => r.sid).sort()).toEqual([
      '',
      'sessiona',
      'sessionb',
      'sessionc',
    ]);
  });
});

describe('names that tmux or a shell would act on', () => {
  it.each([
    '#(touch m)',
    '#S',
    '#{pane_id}',
    'a;b',
    'a;',
    ';',
    'it\'s "quoted"',
    'two\nlines',
    '$(touch m)`touch m`',
    '-x',
    ' space ',
    'back\\slash\\',
    '%1 ~ * ? [a]',
    'ünï ☃',
  ])('%j is only a name, for folder, argument, variable and program', async (name) => {
    const cwd = join(bed.dir, 'w', name);
    mkdirSync(cwd, { recursive: true });
    const out = join(bed.dir, 'report');
    await bed.start(ID, { cwd, argv: report(out, name, '', 'last'), env: { ...bed.env, HOSTILE: name } });
    await until(() => existsSync(out));
    expect(readFileSync(`${out}.cwd`, 'utf8')).toBe(`${cwd}\n`);
    expect(readFileSync(`${out}.argv`, 'utf8').split('\0')).toEqual([name, '', 'last', '']);
    expect(readFileSync(`${out}.env`, 'utf8').split('\0')).toContain(`HOSTILE=${name}`);
    for (const dir of [cwd, bed.dir, '/']) expect(readdirSync(dir)).not.toContain('m');
  });

  it('bytes that are no UTF-8 arrive as they are', async () => {
    const odd = Buffer.from([0x66, 0xff, 0x27, 0xc3, 0x28]); // f, invalid, quote, invalid
    const cwd = Buffer.concat([Buffer.from(`${bed.dir}/`), odd]);
    mkdirSync(cwd);
    const out = join(bed.dir, 'report');
    await bed.start(ID, {
      cwd,
      argv: ['/bin/sh', '-c', 'touch ran; printf %s "$ODD$1" > "$0"', out, odd],
      env: { ...bed.env, ODD: odd },
    });
    await until(() => existsSync(out) && statSync(out).size > 0);
    expect(readFileSync(out)).toEqual(Buffer.concat([odd, odd]));
    expect(readdirSync(cwd)).toEqual(['ran']);
    expect(bytesIn(bed.dir)).toContain(odd.toString('latin1'));
  });

  it('a state folder with such a name works too', async () => {
    bed.end();
    bed = makeBed("s #(touch m) $(touch m) ' #S;");
    const out = join(bed.dir, 'report');
    const pane = await bed.start(ID, { argv: report(out) });
    await until(() => existsSync(out));
    expect(await row(pane)).toMatchObject({ dead: false });
    for (const dir of [bed.dir, bed.paths.home, '/']) expect(readdirSync(dir)).not.toContain('m');
  });

  it('the control: a folder handed to tmux by -c does run its name', async () => {
    await bed.tmux.ensureServer();
    const marker = join(bed.dir, 'fired');
    // tmux starts such a job beside the command, and on a busy machine not for every one of them.
    let tries = 0;
    await until(() => {
      if (tries++ % 60 === 0) {
        bed.raw('new-window', '-d', '-t', 'hub:', '-c', `#(touch ${marker})`, '--', '/bin/cat');
      }
      return existsSync(marker);
    });
  });
});

describe('what a program finds', () => {
  it('is exactly the environment written for it', async () => {
    const out = join(bed.dir, 'report');
    const env = {
      ...bed.env,
      ONE: '1',
      GONE: 'x',
      TMUX: 'x',
      TMUX_PANE: '%7',
      COLUMNS: '3',
      TERM: 'dumb',
      'no name': 'x',
    };
    await bed.start(ID, { argv: report(out), env, unset: ['GONE'] });
    await until(() => existsSync(out));
    const found = readFileSync(`${out}.env`, 'utf8').split('\0').filter(Boolean);
    // The shell that reports makes `_` and SHLVL for itself.
    const names = found.filter((line) => !/^(_|SHLVL)=/.test(line));
    const expected = { ...bed.env, ONE: '1', TERM: 'tmux-256color', COLORTERM: 'truecolor', PWD: bed.dir };
    expect(names.sort()).toEqual(
      Object.entries(expected)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
  });

  it('pitfall 17: leads to no tmux server of ours', async () => {
    const out = join(bed.dir, 'out');
    await bed.start(ID, {
      argv: ['/bin/sh', '-c', `tmux kill-server > ${out} 2>&1; echo done >> ${out}; exec cat`],
    });
    await until(() => existsSync(out) && readFileSync(out, 'utf8').includes('done'));
    expect((await bed.tmux.probe()).alive).toBe(true);
  });

  it('has no launcher beside it: the pane’s process is the program', async () => {
    const pane = await bed.start(ID, { argv: ['/bin/sleep', '600'] });
    const pid = await bed.tmux.access(pane).pid();
    await until(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '/bin/sleep\u0000600\u0000');
    expect(await bed.tmux.access(pane).processes()).toEqual([pid]);
  });
});

describe('an ending', () => {
  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -9 $$', 137],
  ])('pitfall 18: by %s keeps its code, its last screen and the hub', async (script, code) => {
    const pane = await bed.start(ID, {
      argv: ['/bin/sh', '-c', `echo first line; echo the last words; ${script}`],
    });
    const seen = await until(async () => {
      const now = await row(pane);
      return now?.dead ? now : null;
    });
    expect(seen.exitCode).toBe(code);
    const handle = bed.tmux.access(pane);
    expect((await handle.screen()).slice(0, 3)).toEqual(['first line', 'the last words', '']);
    expect(await handle.alive()).toBe(false);
    expect(await handle.pid()).toBeNull();
    expect(await handle.processes()).toEqual([]);
    await bed.tmux.close(pane);
    expect(await row(pane)).toBeUndefined();
    await bed.tmux.close(pane);
    expect((await bed.tmux.probe()).alive).toBe(true);
  });

  it('pitfall 18: is never listed without the code that comes a moment later', async () => {
    for (let round = 0; round < 15; round++) {
      const pane = await bed.start(ID, { argv: ['/bin/sh', '-c', 'kill -9 $$'] });
      const seen = await until(async () => {
        const now = await row(pane);
        return now?.dead ? now : null;
      });
      expect(seen.exitCode).toBe(137);
    }
  });

  it('of a start in a folder that is gone says so', async () => {
    const pane = await bed.start(ID, { argv: ['/bin/cat'], cwd: join(bed.dir, 'nowhere') });
    await until(async () => (await row(pane))?.dead);
    expect((await row(pane))?.exitCode).toBe(126);
    expect((await bed.tmux.access(pane).screen()).join('\n')).toContain('cannot be entered');
  });

  it('of the server is told from an empty one', async () => {
    const pane = await bed.start(ID, { argv: ['/bin/cat'] });
    const child = (await bed.tmux.access(pane).pid())!;
    process.kill((await bed.tmux.probe()).pid!, 'SIGKILL');
    await until(async () => (await bed.tmux.list()) === null);
    expect(await bed.tmux.alive()).toBe(false);
    expect(await bed.tmux.access(pane).alive()).toBe(false);
    await bed.tmux.close(pane);
    await expect(bed.tmux.access(pane).screen()).rejects.toMatchObject({ code: 'conflict' });
    await until(() => !processAlive(child)); // panes are hung up with their server
    await bed.tmux.ensureServer();
    expect(await bed.tmux.list()).toHaveLength(1);
  });

  it('by closing ends the program', async () => {
    const pane = await bed.start(ID, { argv: ['/bin/sleep', '600'] });
    const pid = (await bed.tmux.access(pane).pid())!;
    await bed.tmux.close(pane);
    await until(() => !processAlive(pid));
  });
});

describe('the list', () => {
  it('takes a title for text, whatever it holds', async () => {
    const title = '#(touch m) %1\\t1 "x" ünï';
    const pane = await bed.start(ID, {
      argv: ['/bin/sh', '-c', `printf '\\033]2;%s\\033\\\\' '${title}'; exec cat`],
    });
    await until(async () => (await row(pane))?.title === title);
    expect(await bed.tmux.access(pane).title()).toBe(title);
    expect(readdirSync(bed.dir)).not.toContain('m');
  });

  it('cannot be forged by the name of a program', async () => {
    const forged = join(bed.dir, 'x\n%77\t1\t1\t9\t\t80\t24\tsessiontwo\t\tc\tt');
    mkdirSync(forged);
    const script = join(bed.dir, 'run');
    writeFileSync(script, '');
    await bed.start(ID, { argv: ['/usr/bin/perl', '-e', '$0 = $ARGV[0]; sleep 600', forged] });
    await until(async () =>
      (await bed.tmux.list())?.some((r) => r.sid === ID && !r.command.startsWith('perl')),
    );
    expect((await bed.tmux.list())?.map((r) => r.sid).sort()).toEqual(['', ID]);
    // The control: with a mark that was known, the same line is a row.
    expect(parseList('known\t%77\t1\t1\t9\t\t80\t24\tsessiontwo\t\tc\tt', 'known')).toMatchObject([
      { pane: '%77', dead: true, exitCode: 9, sid: 'sessiontwo' },
    ]);
  });
});

describe('helper processes', () => {
  const spec = () => ({ argv: ['/bin/sleep', '600'], env: bed.env, cwd: bed.dir });
  it('start the server, run once, are no sessions, and can be stopped', async () => {
    const { services } = bed.tmux;
    expect(await services.list()).toEqual([]);
    await Promise.all([services.ensure('codex-main', spec()), services.ensure('codex-main', spec())]);
    const [one, ...rest] = await services.list();
    expect(rest).toEqual([]);
    expect(one).toMatchObject({ name: 'codex-main', dead: false });
    expect((await bed.tmux.list())?.every((r) => r.sid === '')).toBe(true);
    await services.ensure('codex-main', spec());
    expect(await services.list()).toEqual([one]);
    await services.stop('codex-main');
    await services.stop('codex-main');
    expect(await services.list()).toEqual([]);
    await until(() => !processAlive(one!.pid));
  });

  it('are started again when dead', async () => {
    const { services } = bed.tmux;
    await services.ensure('helper', { ...spec(), argv: ['/bin/false'] });
    await until(async () => (await services.list())[0]?.dead);
    expect((await services.list())[0]?.exitCode).toBe(1);
    await services.ensure('helper', spec());
    expect(await services.list()).toMatchObject([{ name: 'helper', dead: false }]);
    await expect(services.ensure('#(x)', spec())).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('keep their secrets in a private file and out of every argument', async () => {
    const env = { ...bed.env, PASSWORD: 'canary-of-the-helper' };
    await bed.tmux.services.ensure('helper', { ...spec(), env });
    const [one] = await bed.tmux.services.list();
    await until(() => readFileSync(`/proc/${one!.pid}/environ`, 'utf8').includes('canary-of-the-helper'));
    expect(statSync(join(bed.paths.home, 'services', 'helper.launch')).mode & 0o777).toBe(0o600);
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const file = `/proc/${pid}/cmdline`;
      const text = existsSync(file)
        ? (() => {
            try {
              return readFileSync(file, 'utf8');
            } catch {
              return '';
            }
          })()
        : '';
      expect(text).not.toContain('canary-of-the-helper');
    }
  });
});
