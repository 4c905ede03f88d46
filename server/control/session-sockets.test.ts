import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SessionId } from '../contract';
import { type Journal, newId, pathsFor } from '../platform';
import { createSessionSockets, MAX_LINE, type SessionCall } from './session-sockets';

const made: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const undo of made.splice(0).reverse()) await undo();
});

function setUp() {
  const home = mkdtempSync(join(tmpdir(), 'od-hooks-'));
  const paths = pathsFor(home);
  mkdirSync(paths.runtime, { recursive: true });
  chmodSync(paths.runtime, 0o700);
  const warnings: string[] = [];
  const journal: Journal = { info: () => {}, warn: (message) => void warnings.push(message) };
  const sockets = createSessionSockets({ paths, journal });
  made.push(() => rmSync(home, { recursive: true, force: true }));
  made.push(() => sockets.closeAll());
  const calls: SessionCall[] = [];
  const listen = (capability: string, reply: (call: SessionCall) => unknown = () => null) => {
    const id = SessionId.parse(newId());
    const handler = async (call: SessionCall) => {
      calls.push(call);
      return reply(call);
    };
    return sockets.open(id, capability, handler).then(({ socket }) => ({ id, socket }));
  };
  return { sockets, listen, calls, warnings, paths };
}

const line = (capability: string, rest: Record<string, unknown> = {}) =>
  `${JSON.stringify({ v: 1, capability, event: 'Stop', callId: 'c1', payload: { a: 1 }, wait: true, ...rest })}\n`;

/** What the peer said until it closed. */
const ask = (path: string, text: string | Buffer): Promise<string> =>
  new Promise((resolve) => {
    const socket = net.connect(path, () => socket.write(text));
    let out = '';
    socket.on('data', (chunk) => {
      out += chunk.toString('utf8');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(out));
  });

describe('session sockets', () => {
  it('hand a call to the session and its reply back', async () => {
    const { listen, calls } = setUp();
    const { socket } = await listen('odc_right', (call) => ({ seen: call.event }));
    expect(JSON.parse(await ask(socket, line('odc_right')))).toEqual({ reply: { seen: 'Stop' } });
    expect(calls[0]).toMatchObject({ event: 'Stop', callId: 'c1', payload: { a: 1 } });
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });

  it('refuse a forged capability and that of another session', async () => {
    const { listen, calls, warnings } = setUp();
    const a = await listen('odc_a');
    await listen('odc_b');
    expect(await ask(a.socket, line('odc_b'))).toBe('');
    expect(await ask(a.socket, line(''))).toBe('');
    expect(await ask(a.socket, line('odc_a '))).toBe('');
    expect(calls).toEqual([]);
    expect(warnings).toHaveLength(1); // said once, not once a call
    expect(await ask(a.socket, line('odc_a'))).toBe('{"reply":null}\n'); // control: the right one passes
    expect(calls).toHaveLength(1);
  });

  it('take the session from the socket, whatever the message claims', async () => {
    const { sockets, paths } = setUp();
    const seen: string[] = [];
    const [a, b] = [SessionId.parse(newId()), SessionId.parse(newId())];
    for (const id of [a, b]) {
      await sockets.open(id, 'odc_same', async () => {
        seen.push(id);
        return null;
      });
    }
    await ask(
      paths.session(a).socket,
      line('odc_same', { sessionId: b, session: b, payload: { session_id: b } }),
    );
    expect(seen).toEqual([a]);
  });

  it('never throw at malformed input', async () => {
    const { listen, calls } = setUp();
    const { socket } = await listen('odc_right');
    for (const text of ['\n', '{\n', 'null\n', '"x"\n', '[1]\n', `${'['.repeat(5_000)}\n`]) {
      expect(await ask(socket, text)).toContain('"reply":null');
    }
    for (const rest of [
      { v: 2 },
      { event: '../x' },
      { event: 7 },
      { callId: '' },
      { callId: 'x'.repeat(101) },
      { wait: 'yes' },
    ]) {
      expect(await ask(socket, line('odc_right', rest))).toContain('"reply":null');
    }
    expect(await ask(socket, Buffer.from([0xff, 0xfe, 0x0a]))).toContain('"reply":null');
    expect(calls).toEqual([]);
    expect(await ask(socket, line('odc_right'))).toBe('{"reply":null}\n');
  });

  it('take a long request and end a too long one', async () => {
    const { listen, calls } = setUp();
    const { socket } = await listen('odc_right');
    const text = 'ä'.repeat(2 * 1024 * 1024);
    expect(await ask(socket, line('odc_right', { payload: text }))).toBe('{"reply":null}\n');
    expect(calls[0]?.payload).toBe(text);
    expect(await ask(socket, Buffer.alloc(MAX_LINE + 1, 120))).toBe('');
    expect(calls).toHaveLength(1);
  });

  it('tell the handler when a waiting hook is gone, and only then', async () => {
    const { listen, calls } = setUp();
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { socket } = await listen('odc_right', (call) => {
      asked();
      return new Promise((resolve) => call.gone.addEventListener('abort', () => resolve('too late')));
    });
    const hook = net.connect(socket, () => hook.write(line('odc_right')));
    await arrived;
    expect(calls[0]?.gone.aborted).toBe(false);
    const gone = new Promise((resolve) => calls[0]?.gone.addEventListener('abort', resolve));
    hook.destroy();
    await gone;
  });

  it('acknowledge a call that does not wait before it was handled', async () => {
    const { listen, calls } = setUp();
    let release: (value: unknown) => void = () => {};
    const held = new Promise((resolve) => {
      release = resolve;
    });
    const { socket } = await listen('odc_right', () => held);
    expect(await ask(socket, line('odc_right', { wait: false }))).toBe('{"reply":null}\n');
    expect(calls[0]?.gone.aborted).toBe(false);
    release('done');
  });

  it('turn a failing handler into "no decision"', async () => {
    const { listen, warnings } = setUp();
    const { socket } = await listen('odc_right', () => {
      throw new Error('broken observer');
    });
    expect(await ask(socket, line('odc_right'))).toBe('{"reply":null}\n');
    expect(warnings).toHaveLength(1);
  });

  it('serve many hooks at once, each its own reply', async () => {
    const { listen } = setUp();
    const { socket } = await listen('odc_right', (call) => call.callId);
    const replies = await Promise.all(
      Array.from({ length: 150 }, (_, i) => ask(socket, line('odc_right', { callId: `c${i}` }))),
    );
    expect(replies.map((text) => (JSON.parse(text) as { reply: string }).reply)).toEqual(
      Array.from({ length: 150 }, (_, i) => `c${i}`),
    );
  });

  it('replace a stale file and their own earlier listener', async () => {
    const { sockets, paths } = setUp();
    const id = SessionId.parse(newId());
    writeFileSync(paths.session(id).socket, '');
    await sockets.open(id, 'odc_old', async () => 'old');
    const { socket } = await sockets.open(id, 'odc_new', async () => 'new');
    expect(await ask(socket, line('odc_old'))).toBe('');
    expect(await ask(socket, line('odc_new'))).toBe('{"reply":"new"}\n');
    await sockets.close(id);
    expect(await ask(socket, line('odc_new'))).toBe('');
  });
});
