import { randomBytes } from 'node:crypto';
import WebSocket from 'ws';
import type { AnswerDetail, BoardUpdate, Decision, Message, Need, Session } from '../../server/contract';
import { answerText, enrolText, helloText, PROTOCOL } from '../../server/contract';

const b64 = (data: ArrayBuffer | Uint8Array) => Buffer.from(data as Uint8Array).toString('base64url');

/** A device without a browser: the same keys, handshake and wire, for tests and benches that need no screen. */
export class Device {
  readonly board = {
    sessions: new Map<string, Session>(),
    needs: new Map<string, Need>(),
    messages: new Map<string, Message>(),
  };
  readonly updates: { update: BoardUpdate; at: number }[] = [];
  #ws: WebSocket | null = null;
  #next = 1;
  #waiting = new Map<number, { done(value: unknown): void; fail(error: Error): void }>();
  serverId = '';
  id = '';

  private constructor(
    readonly url: string,
    readonly keys: CryptoKeyPair,
  ) {}

  static async enrol(link: string): Promise<Device> {
    const [origin = '', code = ''] = link.split('/#');
    const keys = (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair;
    const device = new Device(origin, keys);
    const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey);
    const reply = await fetch(`${origin}/auth/enrol`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({
        code,
        publicKey: { kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y },
        label: 'Test device',
        sig: await device.sign(enrolText({ code, origin })),
      }),
    });
    if (!reply.ok) throw new Error(`enrol: ${reply.status} ${await reply.text()}`);
    const { deviceId, serverId } = (await reply.json()) as { deviceId: string; serverId: string };
    device.id = deviceId;
    device.serverId = serverId;
    return device;
  }

  async sign(text: string): Promise<string> {
    return b64(
      await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        this.keys.privateKey,
        new TextEncoder().encode(text),
      ),
    );
  }

  /** Opens a socket and proves the device on it; resolves after Welcome, with later messages still to come. */
  async socket(path: string, query = ''): Promise<WebSocket> {
    const ws = new WebSocket(`${this.url.replace('http', 'ws')}${path}${query}`, { origin: this.url });
    await new Promise<void>((done, fail) => {
      ws.once('error', fail);
      ws.once('close', (code, reason) => fail(new Error(`closed ${code} ${reason}`)));
      const shake = async (data: WebSocket.RawData, binary: boolean) => {
        if (binary) return;
        const message = JSON.parse(String(data)) as { t?: string; nonce?: string };
        if (message.t === 'challenge') {
          const proof = {
            serverId: this.serverId,
            origin: this.url,
            nonce: message.nonce ?? '',
            time: Date.now(),
            deviceId: this.id,
            purpose: path,
          };
          ws.send(
            JSON.stringify({
              t: 'hello',
              protocol: PROTOCOL,
              deviceId: this.id,
              nonce: proof.nonce,
              time: proof.time,
              sig: await this.sign(helloText(proof)),
            }),
          );
        } else if (message.t === 'welcome') {
          ws.off('message', shake);
          done();
        }
      };
      ws.on('message', shake);
    });
    return ws;
  }

  /** Connects for calls and follows the board. */
  async connect(): Promise<this> {
    const ws = await this.socket('/ws/rpc');
    this.#ws = ws;
    ws.on('error', () => {});
    ws.on('close', () => {
      for (const { fail } of this.#waiting.values()) fail(new Error('closed'));
      this.#waiting.clear();
    });
    ws.on('message', (data, binary) => {
      if (!binary) this.#receive(String(data));
    });
    ws.send(
      JSON.stringify({
        id: 0,
        method: 'subscription',
        params: { path: 'board.feed', input: { after: null } },
      }),
    );
    return this;
  }

  #receive(text: string): void {
    if (text === 'PING') {
      this.#ws?.send('PONG');
      return;
    }
    const message = JSON.parse(text) as {
      id?: number;
      result?: { type?: string; data?: unknown };
      error?: { message: string };
    };
    if (message.id === 0) {
      const update = (message.result?.data as { data?: BoardUpdate } | undefined)?.data;
      if (update) this.#apply(update);
      return;
    }
    const waiting = this.#waiting.get(message.id ?? -1);
    if (!waiting) return;
    this.#waiting.delete(message.id ?? -1);
    if (message.error) waiting.fail(new Error(message.error.message));
    else waiting.done(message.result?.data);
  }

  #apply(update: BoardUpdate): void {
    this.updates.push({ update, at: performance.now() });
    if (update.type === 'snapshot') {
      for (const session of update.snapshot.sessions) this.board.sessions.set(session.id, session);
      for (const need of update.snapshot.needs) this.board.needs.set(need.id, need);
      for (const message of update.snapshot.messages) this.board.messages.set(message.id, message);
    } else if (update.type === 'session') this.board.sessions.set(update.session.id, update.session);
    else if (update.type === 'need') this.board.needs.set(update.need.id, update.need);
    else if (update.type === 'message') this.board.messages.set(update.message.id, update.message);
  }

  call<T>(method: 'query' | 'mutation', path: string, input?: unknown): Promise<T> {
    const id = this.#next++;
    return new Promise<T>((done, fail) => {
      this.#waiting.set(id, { done: done as (value: unknown) => void, fail });
      this.#ws?.send(JSON.stringify({ id, method, params: { path, input } }));
    });
  }
  mutate = <T>(path: string, input?: unknown) => this.call<T>('mutation', path, input);
  query = <T>(path: string, input?: unknown) => this.call<T>('query', path, input);

  /** `sent`: another detail than the one that is signed, as somebody on the way would change it. */
  async answer(
    need: Need,
    decision: Decision,
    detail?: AnswerDetail,
    sent: AnswerDetail | undefined = detail,
  ): Promise<Need> {
    const tuple = {
      needId: need.id,
      digest: need.digest,
      decision,
      ...(detail === undefined ? {} : { detail: JSON.stringify(detail) }),
      nonce: randomBytes(18).toString('base64url'),
      time: Date.now(),
    };
    const sig = await this.sign(answerText({ ...tuple, serverId: this.serverId, deviceId: this.id }));
    return this.mutate<Need>('needs.answer', {
      ...tuple,
      ...(sent === undefined ? {} : { detail: JSON.stringify(sent) }),
      sig,
    });
  }

  /** A trusted project of this repository. */
  async project(path: string): Promise<string> {
    const { project, trust } = await this.mutate<{ project: { id: string }; trust: { digest: string } }>(
      'projects.add',
      { path },
    );
    await this.mutate('projects.trust', { id: project.id, digest: trust.digest });
    return project.id;
  }

  start(projectId: string, prompt: string, over: Record<string, unknown> = {}): Promise<Session> {
    return this.mutate<Session>('sessions.start', {
      vendor: 'scripted',
      projectId,
      workplace: { type: 'main' },
      mode: 'build',
      permission: 'ask',
      prompt,
      ...over,
    });
  }

  /** Sends a message to an agent; the same `id` again is the same message. */
  say(sessionId: string, text: string, id = `m${randomBytes(12).toString('hex')}`): Promise<Message> {
    return this.mutate<Message>('messages.send', { sessionId, id, text });
  }

  close(): void {
    this.#ws?.terminate();
  }
}
