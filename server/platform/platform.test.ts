import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  canonicalJson,
  findProgram,
  newId,
  newSecret,
  pathsFor,
  privateFolder,
  readConfig,
  redact,
  run,
  writePrivate,
} from './index';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'od-platform-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the state folder', () => {
  it('is made private and accepted again', () => {
    const home = join(dir, 'a', 'b');
    privateFolder(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    privateFolder(home);
  });

  it.each([
    [
      'open to others',
      (path: string) => {
        mkdirSync(path);
        chmodSync(path, 0o755);
      },
      /other users can get into it/,
    ],
    [
      'a symbolic link',
      (path: string) => {
        mkdirSync(`${path}-real`);
        symlinkSync(`${path}-real`, path);
      },
      /symbolic link/,
    ],
  ])('is refused when it is %s', (_, make, message) => {
    const home = join(dir, 'home');
    make(home);
    expect(() => privateFolder(home)).toThrow(message);
  });

  it('is refused when it is another user’s or no absolute path', () => {
    expect(() => privateFolder(join(dir, 'x'), 12_345)).toThrow(/another user/);
    expect(() => privateFolder('relative')).toThrow(/absolute/);
  });

  it('keeps socket paths short whatever the folder is called', () => {
    const long = pathsFor(`/home/${'x'.repeat(120)}`, '/tmp');
    expect(long.session(newId(90)).socket.length).toBeLessThan(104);
    expect(long.controlSocket.length).toBeLessThan(104);
    expect(pathsFor('/home/me/.local/state/offdeck').runtime).toBe('/home/me/.local/state/offdeck/run');
  });
});

describe('the environment of a session', () => {
  it('is the user’s own without what is ours or Node’s', () => {
    const { sessionEnv } = readConfig(
      {
        HOME: '/h',
        PATH: '/bin',
        NODE_OPTIONS: '--x',
        OFFDECK_HOME: '/s',
        npm_config_x: '1',
        EDITOR: 'vi',
        TMUX: 'x',
        TERM_PROGRAM: 'iTerm.app',
        TERM_PROGRAM_VERSION: '3',
        KITTY_WINDOW_ID: '1',
        VTE_VERSION: '7000',
        LC_ALL: 'C',
        WT_SESSION: 'x',
      },
      'linux',
    );
    expect(sessionEnv).toEqual({ HOME: '/h', PATH: '/bin', EDITOR: 'vi', LC_ALL: 'C' });
  });
});

describe('running a program', () => {
  it('passes arguments as they are, never through a shell', async () => {
    const marker = join(dir, 'marker');
    const nasty = [`; touch ${marker}`, `$(touch ${marker})`, '`id`', '-n', 'a\nb', '"\''];
    const result = await run('/usr/bin/printf', ['%s\\0', ...nasty], { env: {} });
    expect(result.stdout.toString().split('\0').slice(0, -1)).toEqual(nasty);
    expect(existsSync(marker)).toBe(false);
  });

  it('ends the whole group when time is up, TERM first', async () => {
    const file = join(dir, 'ended');
    const script = `trap 'echo term > ${file}; exit 3' TERM; sleep 60 & wait`;
    const result = await run('/bin/sh', ['-c', script], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 300 });
    expect(result.timedOut).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('term\n');
  });

  it('stops output that is too big instead of filling memory', async () => {
    const result = await run('/usr/bin/yes', [], { env: {}, maxBytes: 100_000 });
    expect(result.tooBig).toBe(true);
    expect(result.stdout.length).toBeLessThanOrEqual(100_000);
  });

  it('is found on the path without a shell', () => {
    expect(findProgram('sh', '/nowhere:/bin:/usr/bin')).toMatch(/\/sh$/);
    expect(findProgram('no-such-program', '/bin')).toBeNull();
    expect(findProgram('sh', 'relative:.')).toBeNull();
  });
});

describe('ids, digests and secrets', () => {
  it('gives equal JSON to equal values whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('redacts every kind of secret of ours', () => {
    const secret = newSecret('odc');
    expect(redact(`failed with ${secret}`)).toBe('failed with [secret]');
    expect(redact('nothing here')).toBe('nothing here');
  });

  it('replaces a file in one step, for the owner only', () => {
    const file = join(dir, 'f');
    writePrivate(file, 'one');
    writePrivate(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
