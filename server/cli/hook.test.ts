import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let bundleDir = '';
let hook = '';
beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'od-hook-bundle-'));
  hook = join(bundleDir, 'hook.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'hook.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: hook,
  });
});
afterAll(() => rmSync(bundleDir, { recursive: true, force: true }));

const made: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const undo of made.splice(0).reverse()) await undo();
});

interface Message {
  v: number;
  capability: string;
  event: string;
  callId: string;
  payload: unknown;
  wait: boolean;
}

function setUp() {
  const dir = mkdtempSync(join(tmpdir(), 'od-hook-'));
  chmodSync(dir, 0o700);
  const socket = join(dir, 's.sock');
  writeFileSync(join(dir, 'hook.json'), JSON.stringify({ socket, capability: 'odc_x' }));
  made.push(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, socket };
}

/** A host that answers with `reply`, or stays silent for undefined. */
async function host(path: string, reply: (message: Message) => unknown) {
  const messages: Message[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!text.endsWith('\n')) return;
      const message = JSON.parse(text) as Message;
      messages.push(message);
      for (const one of waiting) if (messages.length >= one.count) one.resolve();
      const value = reply(message);
      if (value !== undefined)
        socket.end(typeof value === 'string' ? value : `${JSON.stringify({ reply: value })}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const kill = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  made.push(kill);
  const received = (count: number) =>
    new Promise<void>((resolve) => {
      if (messages.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  return { messages, received, kill };
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}
function start(dir: string, event: string, input: string | Buffer | null = '{"tool":"x"}') {
  const began = performance.now();
  const child = spawn(process.execPath, [hook, dir, event], { stdio: ['pipe', 'pipe', 'pipe'] });
  made.push(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  return { child, ended: outcome(child, began) };
}
function outcome(child: ChildProcess, began: number): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr, ms: performance.now() - began }));
  });
}

const silent = { code: 0, stdout: '', stderr: '' };
/** The promise is 300 ms; a busy machine may need seconds to start a process, and hanging would be for ever. */
const SOON_MS = 8_000;

describe('an ordinary event', () => {
  it('reaches the host with the session capability and prints nothing', async () => {
    const { dir, socket } = setUp();
    const { messages } = await host(socket, () => ({ text: 'not to be shown' }));
    expect(await start(dir, 'PostToolUse').ended).toMatchObject(silent);
    expect(messages).toEqual([
      {
        v: 1,
        capability: 'odc_x',
        event: 'PostToolUse',
        callId: expect.stringMatching(/^[0-9a-f]{24}$/),
        payload: { tool: 'x' },
        wait: false,
      },
    ]);
  });

  it.each([
    ['the host is down', async () => {}],
    ['the host hangs', async (path: string) => void (await host(path, () => undefined))],
    ['the host speaks nonsense', async (path: string) => void (await host(path, () => 'HTTP/1.1 400\n'))],
    ['the host cuts the line', async (path: string) => void (await host(path, () => ''))],
    ['the socket is a plain file', async (path: string) => writeFileSync(path, 'x')],
  ])('gives up in silence when %s', async (_, arrange) => {
    const { dir, socket } = setUp();
    await arrange(socket);
    const ended = await start(dir, 'Stop').ended;
    expect(ended).toMatchObject(silent);
    expect(ended.ms).toBeLessThan(SOON_MS);
  });

  it('gives up in silence without a session folder, with broken settings, without arguments, with an open stdin', async () => {
    const { dir } = setUp();
    expect(await start('/nonexistent', 'Stop').ended).toMatchObject(silent);
    expect(await start(dir, '').ended).toMatchObject(silent);
    expect(await start(dir, 'Stop', null).ended).toMatchObject(silent);
    writeFileSync(join(dir, 'hook.json'), '{"socket":');
    expect(await start(dir, 'Stop').ended).toMatchObject(silent);
  });

  it('sends null for input that is not JSON and drops input that is too big', async () => {
    const { dir, socket } = setUp();
    const { messages } = await host(socket, () => null);
    expect(await start(dir, 'Stop', 'not json').ended).toMatchObject(silent);
    expect(messages[0]?.payload).toBe(null);
    expect(await start(dir, 'Stop', Buffer.alloc(11 * 1024 * 1024, 32)).ended).toMatchObject(silent);
    expect(messages).toHaveLength(1);
  });
});

describe('the status line', () => {
  it("prints the host's text", async () => {
    const { dir, socket } = setUp();
    const { messages } = await host(socket, () => ({ text: 'main · 42 %' }));
    expect(await start(dir, 'StatusLine').ended).toMatchObject({ ...silent, stdout: 'main · 42 %' });
    expect(messages[0]?.wait).toBe(true);
  });

  it('is empty when the host hangs', async () => {
    const { dir, socket } = setUp();
    await host(socket, () => undefined);
    const ended = await start(dir, 'StatusLine').ended;
    expect(ended).toMatchObject(silent);
    expect(ended.ms).toBeLessThan(SOON_MS);
  });
});

describe('a request for permission', () => {
  it('prints the decision and nothing else', async () => {
    const { dir, socket } = setUp();
    const decision = { hookSpecificOutput: { decision: { behavior: 'allow' } } };
    await host(socket, () => decision);
    expect(await start(dir, 'PermissionRequest').ended).toMatchObject({
      ...silent,
      stdout: JSON.stringify(decision),
    });
  });

  it('prints nothing for "no decision", so the dialog in the terminal stays', async () => {
    const { dir, socket } = setUp();
    await host(socket, () => null);
    expect(await start(dir, 'PermissionRequest').ended).toMatchObject(silent);
  });

  it('outlives the host and asks again with the same call id', async () => {
    const { dir, socket } = setUp();
    const first = await host(socket, () => undefined);
    const { ended } = start(dir, 'PermissionRequest');
    await first.received(1);
    await first.kill();
    rmSync(socket, { force: true });
    const second = await host(socket, () => ({ yes: true }));
    expect(await ended).toMatchObject({ ...silent, stdout: '{"yes":true}' });
    expect(second.messages[0]).toEqual(first.messages[0]);
  });

  it('waits for a host that is not there yet', async () => {
    const { dir, socket } = setUp();
    const refused = net.createServer((socket) => socket.destroy());
    let knocks = 0;
    const twice = new Promise<void>((resolve) => {
      refused.on('connection', () => ++knocks === 2 && resolve());
    });
    await new Promise<void>((resolve) => refused.listen(socket, resolve));
    const { ended } = start(dir, 'PermissionRequest');
    await twice;
    await new Promise((resolve) => refused.close(resolve));
    await host(socket, () => ({ yes: true }));
    expect(await ended).toMatchObject({ ...silent, stdout: '{"yes":true}' });
  });

  it('ends when its session is removed', async () => {
    const { dir } = setUp();
    const { ended } = start(dir, 'PermissionRequest');
    rmSync(dir, { recursive: true });
    expect(existsSync(dir)).toBe(false);
    expect(await ended).toMatchObject(silent);
  });

  it.each([
    ['its agent dies', 'exec'],
    ['its agent dies and leaves the shell between them', 'shell'],
  ])('ends when %s', async (_, how) => {
    const { dir, socket } = setUp();
    const { received, messages } = await host(socket, () => undefined);
    // Stands for the agent: it starts the hook and is killed while the hook waits.
    const agent = spawn(
      process.execPath,
      [
        '-e',
        `const [node, hook, dir, how] = process.argv.slice(1);
         const { spawn } = require('node:child_process');
         const child = how === 'exec'
           ? spawn(node, [hook, dir, 'PermissionRequest'], { stdio: ['pipe', 'inherit', 'inherit'] })
           : spawn('/bin/sh', ['-c', '"$0" "$1" "$2" PermissionRequest; exit 7', node, hook, dir], { stdio: ['pipe', 'inherit', 'inherit'] });
         child.stdin.end('{}');
         setInterval(() => {}, 1000);`,
        process.execPath,
        hook,
        dir,
        how,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    made.push(() => void agent.kill('SIGKILL'));
    // The pipe closes only when the hook, which inherited it, has ended too.
    const ended = outcome(agent, 0);
    await received(1);
    agent.kill('SIGKILL');
    expect(await ended).toMatchObject({ stdout: '', stderr: '' });
    expect(messages).toHaveLength(1);
  });
});
