import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostStatus, SessionId } from '../contract';
import { type ControlHandlers, createControlSocket } from '../control';
import { newId, pathsFor, readConfig, silentJournal, VERSION } from '../platform';
import { parseCommand } from './args';
import { type CliDeps, EXIT, exitCodeOf, perform } from './commands';
import { elapsed, showStatus } from './show';

const made: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const undo of made.splice(0).reverse()) await undo();
});

const status: HostStatus = {
  version: VERSION,
  port: 7433,
  sessions: [
    {
      id: SessionId.parse(newId()),
      name: 'fix \x1b[31mlogin',
      vendor: 'scripted',
      kind: 'agent',
      state: 'needs-you',
      since: 1_000,
      project: 'shop',
      worktree: '/home/me/shop.wt/fix',
      needs: 2,
    },
  ],
};

function setUp(env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'od-cli-'));
  made.push(() => rmSync(home, { recursive: true, force: true }));
  const config = readConfig({ PATH: process.env.PATH, HOME: home, OFFDECK_HOME: home, ...env });
  const paths = pathsFor(home);
  mkdirSync(paths.runtime, { recursive: true, mode: 0o700 });
  let printed = '';
  const started: unknown[] = [];
  const deps: CliDeps = {
    config,
    out: (text) => {
      printed += text;
    },
    startHost: async (options) => void started.push(options),
  };
  const run = async (...argv: string[]) => {
    printed = '';
    const code = await perform(parseCommand(argv), deps);
    return { code, printed };
  };
  const host = async (given: Partial<ControlHandlers> = {}) => {
    const control = await createControlSocket({ path: paths.controlSocket, journal: silentJournal });
    let closed: Promise<void> | null = null;
    const close = () => (closed ??= control.close());
    made.push(close);
    control.serve({
      open: () => 'http://127.0.0.1:7433/#abc</script>',
      status: () => status,
      doctor: async () => ({ checks: [], vendors: [] }),
      stop: () => void close(),
      ...given,
    });
  };
  return { run, host, started, paths, home };
}

describe('offdeck', () => {
  it('says so when no host runs, with a code of its own', async () => {
    const { run } = setUp();
    for (const argv of [['status'], ['status', '--json'], ['open'], ['stop']]) {
      await expect(run(...argv)).rejects.toMatchObject({
        code: 'not-found',
        message: 'Offdeck is not running.',
        hint: 'Start it with: offdeck start',
      });
    }
    expect(exitCodeOf({ code: 'not-found', message: '' })).toBe(3);
  });

  it('shows what runs, for people and for programs', async () => {
    const { run, host } = setUp();
    await host();
    expect(JSON.parse((await run('status', '--json')).printed)).toEqual(status);
    const { code, printed } = await run('status');
    expect(code).toBe(EXIT.ok);
    expect(printed).toContain('needs-you (2)');
    expect(printed).not.toContain('\x1b');
  });

  it('prints the launch link, also where there is no screen', async () => {
    const { run, host } = setUp();
    await host({ open: () => 'http://127.0.0.1:7433/#abc' });
    expect((await run('open', '--print')).printed).toBe('http://127.0.0.1:7433/#abc\n');
    expect((await run('open')).printed).toBe('http://127.0.0.1:7433/#abc\n');
  });

  it('hands the launch code to the browser in a private file, never in an argument', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'od-bin-'));
    made.push(() => rmSync(bin, { recursive: true, force: true }));
    const fifo = join(bin, 'seen.sock');
    const seen = new Promise<string>((resolve) => {
      const server = net.createServer((socket) => socket.on('data', (chunk) => resolve(String(chunk))));
      server.listen(fifo);
      made.push(() => void server.close());
    });
    const opener = `#!${process.execPath}\nconst s=require('node:net').connect(${JSON.stringify(fifo)},()=>s.end(process.argv.slice(2).join(' ')))\n`;
    writeFileSync(join(bin, 'xdg-open'), opener);
    writeFileSync(join(bin, 'open'), opener);
    for (const name of ['xdg-open', 'open']) chmodSync(join(bin, name), 0o755);
    const { run, host, paths } = setUp({ PATH: bin, DISPLAY: ':99' });
    await host();
    expect((await run('open')).printed).toBe('Opened in your browser.\n');
    const argument = await seen;
    expect(argument).toBe(join(paths.runtime, 'open.html'));
    expect(statSync(argument).mode & 0o777).toBe(0o600);
    const page = readFileSync(argument, 'utf8');
    expect(page).toContain('location.replace("http://127.0.0.1:7433/#abc');
    expect(page.match(/<\/script>/g)).toHaveLength(1); // the URL cannot end the script
  });

  it('stops the host and waits until it is gone', async () => {
    const { run, host } = setUp();
    await host();
    expect((await run('stop')).code).toBe(EXIT.ok);
    await expect(run('status')).rejects.toMatchObject({ code: 'not-found' });
  });

  it("passes the host's own error on", async () => {
    const { run, host, paths } = setUp();
    const control = await createControlSocket({ path: paths.controlSocket, journal: silentJournal });
    await expect(run('status')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Offdeck is starting.',
    });
    await control.close();
    await host();
    expect((await run('status')).code).toBe(EXIT.ok);
  });

  it('says so when the host does not speak our language', async () => {
    const { run, paths } = setUp();
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(paths.controlSocket, resolve));
    made.push(() => void server.close());
    await expect(run('status')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('doctor works without a host and with one', async () => {
    const { run, host } = setUp();
    const alone = await run('doctor', '--json');
    const report = JSON.parse(alone.printed) as { checks: { id: string; ok: boolean }[] };
    expect(report.checks.map((check) => check.id)).toEqual(expect.arrayContaining(['tmux', 'git', 'host']));
    expect(alone.code).toBe(EXIT.ok);
    const detail = {
      ok: false,
      required: true,
      detail: 'taken by nginx',
      fix: 'OFFDECK_PORT=7434 offdeck start',
    };
    await host({ doctor: async () => ({ checks: [{ id: 'port', label: 'Port', ...detail }], vendors: [] }) });
    const asked = await run('doctor');
    expect(asked.printed).toContain('MISSING  Port: taken by nginx\n         OFFDECK_PORT=7434');
    expect(asked.code).toBe(EXIT.notReady);
  });

  it('starts the host only on a machine that has what it needs', async () => {
    const good = setUp();
    expect(await good.run('start', '--no-open', '--demo')).toMatchObject({ code: null });
    expect(good.started).toEqual([{ demo: true, open: false }]);
    const bare = setUp({ PATH: '/nonexistent' });
    await expect(bare.run('start')).rejects.toMatchObject({ code: 'missing-tool' });
    expect(bare.started).toEqual([]);
  });
});

describe('the command line', () => {
  it.each([
    [[], { name: 'help' }],
    [['--help'], { name: 'help' }],
    [['-v'], { name: 'version' }],
    [['start'], { name: 'start', open: true, demo: false }],
    [['start', '--no-open'], { name: 'start', open: false, demo: false }],
    [['open', '--print'], { name: 'open', print: true }],
    [['doctor', '--json'], { name: 'doctor', json: true }],
  ])('%j', (argv, command) => {
    expect(parseCommand(argv)).toEqual(command);
  });

  it.each([
    [['answer'], 'There is no command "answer".'],
    [['constructor'], 'There is no command "constructor".'],
    [['status', '--demo'], '"status" has no option --demo.'],
    [['stop', 'now'], '"now" is one word too many.'],
    [['start', '--fast'], "Unknown option '--fast'."],
  ])('%j is refused', (argv, message) => {
    expect(() => parseCommand(argv)).toThrow(message);
  });
});

describe('what is shown', () => {
  it('durations', () => {
    expect([0, 38_000, 72_000, 840_000, 11_400_000, 864_000_000].map(elapsed)).toEqual([
      '0s',
      '38s',
      '1m 12s',
      '14m',
      '3h 10m',
      '10d',
    ]);
  });
  it('an empty host', () => {
    expect(showStatus({ version: '1.0.0', port: 7433, sessions: [] }, 0)).toContain('No sessions.');
  });
});
