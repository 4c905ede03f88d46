/** For tests only: a browser's side of the sockets, with a real WebCrypto key. */
import { WebSocket } from 'ws';
import { Challenge, type DeviceId, EnrolReply, enrolText, helloText, PROTOCOL } from '../contract';
import type { TestHost } from './host.fake';

export interface Browser {
  deviceId: DeviceId;
  sign(text: string): Promise<string>;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const;

export async function newKey() {
  const keys = await crypto.subtle.generateKey(EC, false, ['sign', 'verify']);
  const { x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey);
  const sign = async (text: string): Promise<string> => {
    const bytes = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      keys.privateKey,
      Buffer.from(text),
    );
    return Buffer.from(bytes).toString('base64url');
  };
  return { sign, publicKey: { kty: 'EC', crv: 'P-256', x, y } };
}

export async function enrolBody(host: TestHost, code: string, key?: Awaited<ReturnType<typeof newKey>>) {
  const { sign, publicKey } = key ?? (await newKey());
  const sig = await sign(enrolText({ code, origin: host.origin }));
  return JSON.stringify({ code, publicKey, label: 'Test browser', sig });
}

export const postEnrol = (host: TestHost, body: string, headers: Record<string, string> = {}) =>
  fetch(`${host.origin}/auth/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: host.origin, ...headers },
    body,
  });

export async function signIn(host: TestHost): Promise<Browser> {
  const key = await newKey();
  const reply = await postEnrol(host, await enrolBody(host, host.auth.newLaunchCode(), key));
  return { deviceId: EnrolReply.parse(await reply.json()).deviceId, sign: key.sign };
}

export interface Line {
  ws: WebSocket;
  frames: (string | Buffer)[];
  closed: Promise<{ code: number; reason: string }>;
  /** The next frame that nobody has taken yet. */
  next(): Promise<string | Buffer>;
}

/** Opens a socket; rejects with the status when the upgrade is refused. */
export function dial(
  host: TestHost,
  path: string,
  options: { origin?: string; headers?: Record<string, string> } = {},
): Promise<Line> {
  const ws = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, {
    origin: options.origin ?? host.origin,
    ...(options.headers ? { headers: options.headers } : {}),
    perMessageDeflate: false,
  });
  const frames: (string | Buffer)[] = [];
  const waiting: ((frame: string | Buffer) => void)[] = [];
  let taken = 0;
  ws.on('message', (data, binary) => {
    frames.push(binary ? (data as Buffer) : String(data));
    while (waiting.length && taken < frames.length) waiting.shift()!(frames[taken++]!);
  });
  const closed = new Promise<{ code: number; reason: string }>((done) => {
    ws.on('close', (code, reason) => done({ code, reason: String(reason) }));
  });
  const next = () =>
    taken < frames.length
      ? Promise.resolve(frames[taken++]!)
      : new Promise<string | Buffer>((resolve, reject) => {
          waiting.push(resolve);
          void closed.then(({ code, reason }) => reject(new Error(`closed ${code} ${reason}`)));
        });
  return new Promise((resolve, reject) => {
    ws.on('unexpected-response', (_, res) => {
      res.resume();
      reject(new Error(String(res.statusCode)));
      ws.terminate();
    });
    ws.on('error', (error) => reject(error));
    ws.on('open', () => resolve({ ws, frames, closed, next }));
  });
}

/** The frame that proves this browser on this line; `change` alters what is signed, `say` what is said. */
export async function hello(
  line: Line,
  browser: Browser,
  about: { origin: string; purpose: string },
  change: { signed?: Record<string, unknown>; said?: Record<string, unknown> } = {},
): Promise<string> {
  const challenge = Challenge.parse(JSON.parse(String(await line.next())));
  const fields = {
    ...about,
    serverId: challenge.serverId,
    nonce: challenge.nonce,
    time: 1_700_000_000_000,
    deviceId: browser.deviceId,
    ...change.signed,
  } as Parameters<typeof helloText>[0];
  return JSON.stringify({
    t: 'hello',
    protocol: PROTOCOL,
    deviceId: fields.deviceId,
    nonce: fields.nonce,
    time: fields.time,
    sig: await browser.sign(helloText(fields)),
    ...change.said,
  });
}

/** A proven line: the welcome has been received. */
export async function join(host: TestHost, browser: Browser, path = '/ws/rpc'): Promise<Line> {
  const line = await dial(host, path);
  const purpose = path.split('?')[0]!;
  line.ws.send(await hello(line, browser, { origin: host.origin, purpose }));
  const welcome = JSON.parse(String(await line.next())) as { t: string };
  if (welcome.t !== 'welcome') throw new Error(`no welcome: ${JSON.stringify(welcome)}`);
  return line;
}
