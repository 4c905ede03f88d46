import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientFrame, decodeClient, encodeServer, PROTOCOL, type ServerFrame } from '@/server/contract';

vi.mock('./device-key', () => ({
  readIdentity: async () => ({ deviceId: 'device', serverId: 'server', keys: {} }),
  sign: async () => 'sig',
}));

/** The other end of each socket that was dialled. */
class Wire {
  static all: Wire[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  binaryType = '';
  sent: (string | Uint8Array)[] = [];
  constructor(readonly url: string) {
    Wire.all.push(this);
  }
  send(data: string | Uint8Array): void {
    this.sent.push(data);
  }
  close(): void {}
  say(data: unknown): void {
    this.onmessage?.({ data });
  }
  cut(): void {
    this.onclose?.({ code: 1006, reason: '' });
  }
  /** Lets the browser in, with these frames in the same tick. */
  async welcome(...frames: ServerFrame[]): Promise<void> {
    this.say(JSON.stringify({ t: 'challenge', protocol: PROTOCOL, serverId: 'server', nonce: 'n' }));
    await vi.waitFor(() => expect(this.sent).toHaveLength(1));
    this.sent = [];
    this.say(JSON.stringify({ t: 'welcome' }));
    for (const frame of frames) this.tell(frame);
  }
  tell(frame: ServerFrame): void {
    this.say(new Uint8Array(encodeServer(frame)).buffer);
  }
  get frames(): ClientFrame[] {
    return this.sent.flatMap((data) => (typeof data === 'string' ? [] : (decodeClient(data) ?? [])));
  }
  /** What was typed by it, in order. */
  get keys(): string[] {
    return this.frames.flatMap((frame) =>
      frame.type === 'input' || frame.type === 'paste' ? [Buffer.from(frame.bytes).toString()] : [],
    );
  }
}

/** The host shows the terminal, or says that there is none. */
const there = (yes: boolean): ServerFrame => ({
  ...{ type: 'info', channel: 1 },
  json: keys(JSON.stringify({ gone: !yes })),
});
const sink = () => ({ frame: vi.fn(), info: vi.fn(), connected: vi.fn() });
const keys = (text: string) => new TextEncoder().encode(text);
const latest = () => Wire.all.at(-1) as Wire;
let wakeUp = () => {};

/** A tab that shows one session. */
async function open() {
  const { terminals } = await import('./terminal-connection');
  const seen = sink();
  return { seen, handle: terminals().open('session', seen) };
}
/** The line is cut and dialled again. */
async function redial(): Promise<Wire> {
  const before = latest();
  wakeUp();
  await vi.waitFor(() => expect(latest()).not.toBe(before));
  return latest();
}

beforeEach(() => {
  vi.resetModules();
  Wire.all = [];
  vi.stubGlobal('WebSocket', Wire);
  vi.stubGlobal('CloseEvent', Event); // Node has none before 23
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:1' });
  vi.stubGlobal('document', { addEventListener: () => {} });
  vi.stubGlobal('addEventListener', (type: string, act: () => void) => {
    if (type === 'online') wakeUp = act;
  });
});
afterEach(() => vi.unstubAllGlobals());

describe('the terminal’s socket in the browser', () => {
  it('pitfall 6: keeps what comes in the tick of the welcome', async () => {
    const { seen } = await open();
    const at = { channel: 1, epoch: 5, seq: 0 };
    await latest().welcome(
      { type: 'snap', ...at, cols: 80, rows: 24, bytes: keys('first') },
      { type: 'info', channel: 1, json: keys('{"owner":"you"}') },
      { type: 'out', ...at, seq: 5, bytes: keys('more') },
    );
    expect(seen.frame.mock.calls.map(([frame]) => Buffer.from(frame.bytes).toString())).toEqual([
      'first',
      'more',
    ]);
    expect(seen.info).toHaveBeenCalledWith({ owner: 'you' });
    // And it goes on from there.
    const next = await redial();
    await next.welcome();
    expect(next.frames).toMatchObject([{ type: 'sub', epoch: 5, from: 9 }]);
  });

  it('pitfall 12: sends once what was typed while the line was down, and never again', async () => {
    const { handle } = await open();
    await latest().welcome(there(true));
    handle.input(keys('on'));
    expect(latest().keys).toEqual(['on']);
    latest().cut();
    handle.input(keys('while away'));
    handle.input(keys('\r'));
    const second = await redial();
    expect(second.keys).toEqual([]);
    // A host that begins knows its terminals a moment later: until then it would drop what is typed.
    await second.welcome();
    expect(second.frames.map((frame) => frame.type)).toEqual(['sub']);
    handle.input(keys('!'));
    second.tell(there(true));
    expect(second.keys).toEqual(['while away', '\r', '!']);
    // Neither what was on its way when the line was cut nor what was sent since.
    const third = await redial();
    await third.welcome(there(true));
    expect(third.keys).toEqual([]);
    handle.input(keys('x'));
    const numbers = [second, third].flatMap((wire) =>
      wire.frames.flatMap((frame) => (frame.type === 'input' ? [frame.inputSeq] : [])),
    );
    expect(numbers).toEqual([2, 3, 4, 5]);
  });

  it('pitfall 12: a paste with its Enter waits as one, or does not wait', async () => {
    const { handle } = await open();
    await latest().welcome(there(true));
    latest().cut();
    for (let i = 0; i < 62; i++) handle.input(keys('k'));
    handle.paste(new Uint8Array(300_000).fill(97), keys('\r'));
    handle.input(keys('\r'));
    const second = await redial();
    await second.welcome(there(true));
    expect(second.keys).toEqual(Array.from({ length: 62 }, () => 'k'));
    handle.paste(new Uint8Array(300_000).fill(98), keys('\r'));
    expect(second.frames.slice(-4)).toMatchObject([
      { type: 'paste', last: false },
      { type: 'paste', last: false },
      { type: 'paste', last: true },
      { type: 'input' },
    ]);
  });

  it('pitfall 12: what is typed where nothing runs is not kept for what runs there later', async () => {
    const { handle } = await open();
    await latest().welcome(there(true));
    latest().cut();
    handle.input(keys('y'));
    const second = await redial();
    await second.welcome(there(false));
    handle.input(keys('\r'));
    second.tell(there(true));
    handle.input(keys('new'));
    expect(second.keys).toEqual(['new']);
  });
});
