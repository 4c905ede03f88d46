import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentJournal } from '../platform';
import { FORMAT } from '../terminal/snapshot';
import { createTmux, tmuxNewEnough } from './index';
import { listFormat } from './pane-list';
import { type Bed, makeBed, TMUX, until } from './testing';
import { TMUX_CONF } from './tmux-conf';

let bed: Bed;
beforeEach(() => {
  bed = makeBed();
});
afterEach(() => bed.end());

const windows = () =>
  bed.raw('list-windows', '-a', '-F', '#{session_name}:#{window_name}').trim().split('\n');

describe('the version of tmux', () => {
  it.each(['tmux 3.2', 'tmux 3.3a', 'tmux next-3.5', 'tmux 3.7', '3.10', 'tmux 4.0', 'tmux master'])(
    '%s is new enough',
    (text) => expect(tmuxNewEnough(text)).toBe(true),
  );
  it.each(['tmux 3.1c', 'tmux 2.9', 'tmux', ''])('"%s" is not', (text) =>
    expect(tmuxNewEnough(text)).toBe(false),
  );
  it('is asked of the program', async () => {
    expect(tmuxNewEnough(await bed.tmux.version())).toBe(true);
  });

  it('pitfall 21: is asked for nothing that it does not know, and complains about nothing', async () => {
    // An unknown format is no error: it is empty, and what it stood for is lost without a word.
    const panes = [
      await bed.start('live', { argv: ['/bin/cat'] }),
      await bed.start('ended', { argv: ['/bin/false'] }),
      await bed.start('killed', { argv: ['/bin/sh', '-c', 'kill -9 $$'] }),
    ];
    await until(async () => (await bed.tmux.list())?.filter((row) => row.exitCode !== null).length === 2);
    const known = new Set(
      panes.flatMap((pane) =>
        bed
          .raw('display-message', '-a', '-p', '-t', pane)
          .split('\n')
          .map((line) => line.split('=')[0]),
      ),
    );
    const sources = ['../tmux', '../terminal'].flatMap((folder) =>
      readdirSync(join(import.meta.dirname, folder))
        .filter((name) => name.endsWith('.ts') && !/test/.test(name))
        .map((name) => readFileSync(join(import.meta.dirname, folder, name), 'utf8')),
    );
    const asked = [...sources, listFormat('mark'), FORMAT].flatMap((text) =>
      [...text.matchAll(/#\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    );
    const missing = new Set(asked.filter((name) => !known.has(name)));
    expect(asked.length).toBeGreaterThan(25);
    expect([...missing]).toEqual([]);
    // A line of the configuration that this version does not take would be in the way of every later one.
    expect(bed.raw('source-file', bed.paths.tmuxConf)).toBe('');
  });
});

describe('the private server', () => {
  it('starts once, with one hub and its keeper, whoever asks', async () => {
    expect((await bed.tmux.probe()).alive).toBe(false);
    const other = createTmux({ tmux: TMUX, paths: bed.paths, toolEnv: bed.env, journal: silentJournal });
    await Promise.all([bed.tmux, other, bed.tmux, other].map((tmux) => tmux.ensureServer()));
    expect(windows()).toEqual(['hub:keeper']);
    const probe = await bed.tmux.probe();
    expect(probe).toMatchObject({ alive: true, pid: expect.any(Number), version: expect.any(String) });
    await bed.tmux.ensureServer();
    expect(await other.probe()).toEqual(probe);
  });

  it('takes the configuration without a complaint, at the start and again', async () => {
    await bed.tmux.ensureServer();
    expect(bed.raw('source-file', bed.paths.tmuxConf)).toBe('');
    const before = bed.raw('show-options', '-s');
    const later = createTmux({ tmux: TMUX, paths: bed.paths, toolEnv: bed.env, journal: silentJournal });
    await later.ensureServer();
    expect(bed.raw('show-options', '-s')).toBe(before);
    expect(bed.raw('show-options', '-gv', 'prefix')).toBe('None\n');
    expect(bed.raw('show-options', '-gv', 'window-size')).toBe('latest\n');
    expect(bed.raw('show-options', '-gwv', 'remain-on-exit')).toBe('on\n');
    expect(readFileSync(bed.paths.tmuxConf, 'utf8')).toBe(TMUX_CONF);
  });

  it('is brought up to date when an older Offdeck started it', async () => {
    await bed.tmux.ensureServer();
    bed.raw('set', '-g', 'history-limit', '5');
    await createTmux({
      tmux: TMUX,
      paths: bed.paths,
      toolEnv: bed.env,
      journal: silentJournal,
    }).ensureServer();
    expect(bed.raw('show-options', '-gv', 'history-limit')).toBe('10000\n');
  });

  it('pitfall 3: starts over a stale socket and right after a kill, with one hub each time', async () => {
    writeFileSync(join(bed.dir, 'x'), '');
    for (let round = 0; round < 12; round++) {
      await bed.tmux.ensureServer();
      expect(windows()).toEqual(['hub:keeper']);
      const { pid } = await bed.tmux.probe();
      if (round % 2 === 0) bed.raw('kill-server');
      else {
        process.kill(pid!, 'SIGKILL'); // leaves the socket file behind
        expect(existsSync(bed.paths.tmuxSocket)).toBe(true);
      }
    }
    await bed.tmux.ensureServer();
    expect(windows()).toEqual(['hub:keeper']);
  });

  it('gets its hub back when somebody ended only that', async () => {
    await bed.tmux.ensureServer();
    bed.raw('new-session', '-d', '-s', 'mine');
    bed.raw('kill-session', '-t', '=hub');
    await bed.tmux.ensureServer();
    expect(windows().sort()).toEqual(expect.arrayContaining(['hub:keeper']));
  });

  it('says why when it cannot start', async () => {
    const broken = createTmux({
      tmux: '/nonexistent/tmux',
      paths: bed.paths,
      toolEnv: bed.env,
      journal: silentJournal,
    });
    await expect(broken.ensureServer()).rejects.toMatchObject({ code: 'missing-tool' });
  });

  it('pitfall 17: is in a private folder and holds no variable of ours or Node’s', async () => {
    const toolEnv = {
      ...bed.env,
      NODE_OPTIONS: '--x',
      OFFDECK_HOME: '/s',
      TMUX: '/elsewhere,1,0',
      TMUX_PANE: '%9',
    };
    await createTmux({ tmux: TMUX, paths: bed.paths, toolEnv, journal: silentJournal }).ensureServer();
    const names = bed
      .raw('show-environment', '-g')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(['HOME', 'LC_ALL', 'PATH', 'PWD'].filter((name) => names.includes(name)));
    expect(statSync(bed.paths.runtime).mode & 0o077).toBe(0);
    await bed.start('sessionone', { argv: ['/bin/sleep', '60'], env: { SECRET: 'of-one-session' } });
    expect(bed.raw('show-environment', '-g')).not.toContain('SECRET');
  });

  it('outlives the process group that started it', async () => {
    const door = pathToFileURL(join(import.meta.dirname, 'index.ts')).href;
    const platform = pathToFileURL(join(import.meta.dirname, '..', 'platform', 'index.ts')).href;
    const script = `
      const { createTmux } = await import(${JSON.stringify(door)});
      const { pathsFor, silentJournal } = await import(${JSON.stringify(platform)});
      const paths = pathsFor(${JSON.stringify(bed.paths.home)}, ${JSON.stringify(bed.dir)});
      const tmux = createTmux({ tmux: '${TMUX}', paths, toolEnv: ${JSON.stringify(bed.env)}, journal: silentJournal });
      await tmux.ensureServer();
      console.log('up');
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => parent.once('close', resolve));
    try {
      let said = '';
      parent.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
      });
      await until(() => said.includes('up'));
      const before = await bed.tmux.probe();
      expect(before.alive).toBe(true);
      process.kill(-parent.pid!, 'SIGKILL');
      // `close` also means that the server does not hold the parent's pipes.
      await ended;
      expect(await bed.tmux.probe()).toEqual(before);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('the user’s own tmux', () => {
  it('pitfall 21: is neither read nor touched', async () => {
    const mine = mkdtempSync(join(tmpdir(), 'od-user-'));
    const user = (...args: string[]) =>
      execFileSync(TMUX, args, {
        env: { PATH: bed.env.PATH!, HOME: bed.dir, TMUX_TMPDIR: mine },
        stdio: 'pipe',
      }).toString();
    try {
      const conf = join(bed.dir, '.tmux.conf');
      writeFileSync(conf, 'set -g @mine yes\nset -g history-limit 4321\nbind -n F5 kill-server\n');
      user('new-session', '-d', '-s', 'work');
      const look = () =>
        [
          ['show-options', '-g'],
          ['show-options', '-gw'],
          ['show-options', '-s'],
          ['list-keys'],
          ['list-panes', '-a', '-F', '#{session_name} #{pane_id} #{pane_pid}'],
          ['show-environment', '-g'],
        ].map((args) => user(...args));
      const before = look();
      expect(before[0]).toContain('@mine'); // the control: this server did read the user's file

      const toolEnv = { ...bed.env, TMUX_TMPDIR: mine };
      const tmux = createTmux({ tmux: TMUX, paths: bed.paths, toolEnv, journal: silentJournal });
      await tmux.ensureServer();
      const pane = await bed.start('sessionone', { argv: ['/bin/cat'] });
      await tmux.access(pane).paste('hello\n');
      await tmux.close(pane);
      expect(bed.raw('show-options', '-g')).not.toContain('@mine');
      expect(bed.raw('show-options', '-gv', 'history-limit')).toBe('10000\n');
      expect(look()).toEqual(before);
      expect(readFileSync(conf, 'utf8')).toContain('4321');
    } finally {
      user('kill-server');
      rmSync(mine, { recursive: true, force: true });
    }
  });
});
