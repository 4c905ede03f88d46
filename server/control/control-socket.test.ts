import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentJournal } from '../platform';
import { type ControlSocket, createControlSocket } from './control-socket';

const made: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const undo of made.splice(0).reverse()) await undo();
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'od-control-'));
  chmodSync(dir, 0o700);
  made.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function control(path: string): Promise<ControlSocket> {
  const socket = await createControlSocket({ path, journal: silentJournal });
  made.push(() => socket.close());
  return socket;
}

const ask = (path: string, text: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = net.connect(path, () => socket.write(text));
    let out = '';
    socket.on('data', (chunk) => {
      out += chunk.toString('utf8');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(out));
  });

const status = { version: '1', port: 7433, sessions: [] };

describe('the control socket', () => {
  it('answers each command with one line', async () => {
    const path = join(folder(), 'control.sock');
    const socket = await control(path);
    let stopped = () => {};
    const stop = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    socket.serve({
      open: () => 'http://127.0.0.1:7433/#code',
      status: () => status,
      doctor: async () => ({ checks: [], vendors: [] }),
      stop: () => stopped(),
    });
    expect(JSON.parse(await ask(path, '{"cmd":"ping"}\n'))).toMatchObject({ ok: true, pid: process.pid });
    expect(JSON.parse(await ask(path, '{"cmd":"open"}\n'))).toEqual({
      ok: true,
      url: 'http://127.0.0.1:7433/#code',
    });
    expect(JSON.parse(await ask(path, '{"cmd":"status"}\n'))).toEqual({ ok: true, status });
    expect(JSON.parse(await ask(path, '{"cmd":"doctor"}\n'))).toEqual({
      ok: true,
      report: { checks: [], vendors: [] },
    });
    expect(JSON.parse(await ask(path, '{"cmd":"stop"}\n'))).toEqual({ ok: true });
    await stop;
  });

  it('says that it is starting until it serves, and answers ping meanwhile', async () => {
    const path = join(folder(), 'control.sock');
    await control(path);
    expect(JSON.parse(await ask(path, '{"cmd":"ping"}\n'))).toMatchObject({ ok: true });
    expect(JSON.parse(await ask(path, '{"cmd":"status"}\n'))).toMatchObject({
      ok: false,
      error: { code: 'unavailable' },
    });
  });

  it('is for the owner only', async () => {
    const path = join(folder(), 'control.sock');
    await control(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('survives malformed input and a handler that throws', async () => {
    const path = join(folder(), 'control.sock');
    const socket = await control(path);
    socket.serve({
      open: () => {
        throw new Error('secret detail');
      },
      status: () => status,
      doctor: async () => ({ checks: [], vendors: [] }),
      stop: () => {},
    });
    for (const text of [
      '\n',
      '{\n',
      'null\n',
      '[]\n',
      '{"cmd":"answer"}\n',
      '{"cmd":"__proto__"}\n',
      '\xff\n',
    ]) {
      expect(JSON.parse(await ask(path, text))).toMatchObject({ ok: false, error: { code: 'bad-input' } });
    }
    expect(await ask(path, 'x'.repeat(100_000))).toBe('');
    const failed = await ask(path, '{"cmd":"open"}\n');
    expect(JSON.parse(failed)).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(failed).not.toContain('secret detail');
    expect(JSON.parse(await ask(path, '{"cmd":"status"}\n'))).toMatchObject({ ok: true });
  });

  it('refuses a second host and names the first', async () => {
    const path = join(folder(), 'control.sock');
    await control(path);
    await expect(createControlSocket({ path, journal: silentJournal })).rejects.toMatchObject({
      code: 'conflict',
      message: `Offdeck is already running (pid ${process.pid}).`,
      hint: 'Open it with: offdeck open',
    });
    expect(JSON.parse(await ask(path, '{"cmd":"ping"}\n'))).toMatchObject({ ok: true });
  });

  it('starts where a stale file lies, and leaves nothing behind when it closes', async () => {
    const path = join(folder(), 'control.sock');
    writeFileSync(path, 'not even a socket');
    const first = await createControlSocket({ path, journal: silentJournal });
    await first.close();
    expect(existsSync(path)).toBe(false);
    const second = await control(path);
    second.serve({
      open: () => '',
      status: () => status,
      doctor: async () => ({ checks: [], vendors: [] }),
      stop: () => {},
    });
    expect(JSON.parse(await ask(path, '{"cmd":"status"}\n'))).toMatchObject({ ok: true });
  });
});

describe('twenty hosts at once', () => {
  let bundle = '';
  let dir = '';
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'od-contend-'));
    bundle = join(dir, 'contender.mjs');
    await build({
      stdin: {
        // Starts on a byte of its standard input, so that all contenders start together.
        contents: `
          import net from 'node:net';
          import { rmSync } from 'node:fs';
          import { createControlSocket } from './control-socket';
          import { silentJournal } from '../platform';
          const [path, how] = process.argv.slice(2);
          process.stdout.write('ready\\n');
          process.stdin.once('data', async () => {
            try {
              if (how === 'naive') {
                const free = await new Promise((resolve) => {
                  const probe = net.connect(path);
                  probe.on('connect', () => { probe.destroy(); resolve(false); });
                  probe.on('error', () => resolve(true));
                });
                if (!free) throw Object.assign(new Error('taken'), { code: 'conflict' });
                await new Promise((resolve) => setTimeout(resolve, 20));
                rmSync(path, { force: true });
                await new Promise((resolve, reject) => net.createServer(() => {}).on('error', reject).listen(path, resolve));
              } else await createControlSocket({ path, journal: silentJournal });
              process.stdout.write('won\\n');
            } catch (error) {
              process.stdout.write(error.code === 'conflict' ? 'lost\\n' : 'broken ' + error.stack + '\\n');
              process.exit(0);
            }
          });`,
        resolveDir: import.meta.dirname,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: bundle,
    });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  async function contend(
    path: string,
    how: 'lock' | 'naive',
  ): Promise<{ words: string[]; winners: ChildProcess[] }> {
    const children = Array.from({ length: 20 }, () =>
      spawn(process.execPath, [bundle, path, how], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    made.push(() => {
      for (const child of children) child.kill('SIGKILL');
    });
    const said = children.map((child) => {
      let text = '';
      const waiting: { count: number; resolve: () => void }[] = [];
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        for (const one of waiting) if (text.split('\n').length > one.count) one.resolve();
      });
      return async (count: number) => {
        await new Promise<void>((resolve) => {
          if (text.split('\n').length > count) resolve();
          else waiting.push({ count, resolve });
        });
        return text.split('\n')[count - 1] ?? '';
      };
    });
    await Promise.all(said.map((line) => line(1)));
    for (const child of children) child.stdin.write('go\n');
    const words = await Promise.all(said.map((line) => line(2)));
    return { words, winners: children.filter((_, i) => words[i] === 'won') };
  }

  it('has exactly one winner, also over the socket of a killed host', async () => {
    const path = join(folder(), 'control.sock');
    for (let round = 0; round < 3; round++) {
      const { words, winners } = await contend(path, 'lock');
      expect(words.filter((word) => word !== 'won' && word !== 'lost')).toEqual([]);
      expect(winners).toHaveLength(1);
      const ended = new Promise((resolve) => winners[0]?.once('close', resolve));
      winners[0]?.kill('SIGKILL');
      await ended;
      expect(existsSync(path)).toBe(true); // the next round meets a stale socket
    }
  }, 90_000);

  it('would have several winners by probing and unlinking (control)', async () => {
    const { winners } = await contend(join(folder(), 'control.sock'), 'naive');
    expect(winners.length).toBeGreaterThan(1);
  }, 90_000);
});
