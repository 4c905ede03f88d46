import { WebSocket } from 'ws';
import { AppError } from '../../contract';
import { VERSION } from '../../platform';
import { Envelope } from './protocol';

export type RequestId = number | string;

/** What the server says unasked. A `request` waits for somebody's answer; any client may give it, the first one counts. */
export type Incoming =
  | { type: 'notification'; method: string; params: unknown }
  | { type: 'request'; id: RequestId; method: string; params: unknown };

/** The server's own words about a call that failed. */
export class RpcError extends Error {}

const OPEN_MS = 5_000;
const CALL_MS = 30_000;

/** One connection to an app-server. It never reconnects: what waited on it must be asked about anew. */
export class AppServer {
  #next = 0;
  #calls = new Map<number, { resolve(value: unknown): void; reject(cause: Error): void }>();
  #listener: ((message: Incoming) => void) | null = null;
  #early: Incoming[] = [];
  /** Resolves when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>;

  private constructor(private readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        for (const call of this.#calls.values()) call.reject(new Error('The app-server went away.'));
        this.#calls.clear();
        resolve();
      });
    });
    // An error is always followed by 'close'; without a listener it would end the host.
    socket.on('error', () => {});
    socket.on('message', (data) => this.#receive(String(data)));
  }

  /** Connects and introduces us. Rejects when nothing answers on the socket in time. */
  static async open(path: string): Promise<AppServer> {
    const socket = new WebSocket(`ws+unix://${path}:/`, {
      perMessageDeflate: false,
      handshakeTimeout: OPEN_MS,
    });
    const server = new AppServer(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    try {
      await server.call(
        'initialize',
        {
          clientInfo: { name: 'offdeck', title: 'Offdeck', version: VERSION },
          capabilities: { experimentalApi: true },
        },
        OPEN_MS,
      );
      server.#send({ method: 'initialized' });
    } catch (cause) {
      server.close();
      throw cause;
    }
    return server;
  }

  /** From here on messages go to `listener`, those that came earlier first. */
  listen(listener: (message: Incoming) => void): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) listener(message);
  }

  /** Rejects with RpcError when the server refuses, with another error when the connection does not answer. */
  call(method: string, params: unknown, timeoutMs: number = CALL_MS): Promise<unknown> {
    const id = ++this.#next;
    if (this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error('The app-server went away.'));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#calls.delete(id);
        reject(new Error(`The app-server did not answer ${method}.`));
      }, timeoutMs);
      this.#calls.set(id, {
        resolve: (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        reject: (cause) => {
          clearTimeout(timer);
          reject(cause);
        },
      });
      this.#send({ id, method, params });
    });
  }

  /** Answers a request of the server's. False when the connection did not take it. */
  reply(id: RequestId, result: unknown): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.socket.readyState !== WebSocket.OPEN) return resolve(false);
      this.socket.send(JSON.stringify({ id, result }), (cause) => resolve(!cause));
    });
  }

  close(): void {
    this.socket.terminate();
  }

  #send(message: object): void {
    // A closed socket rejects the calls on it by its 'close'; sending to it would throw.
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message), () => {});
  }

  #receive(text: string): void {
    const envelope = Envelope.safeParse(parse(text)).data;
    if (!envelope) return;
    const { id, method, params, result, error } = envelope;
    if (method === undefined) {
      const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
      if (!call) return;
      this.#calls.delete(id as number);
      if (error) call.reject(new RpcError(error.message));
      else call.resolve(result);
      return;
    }
    const message: Incoming =
      id === undefined ? { type: 'notification', method, params } : { type: 'request', id, method, params };
    if (this.#listener) this.#listener(message);
    else this.#early.push(message);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not the protocol: the connection is judged by its calls, which then time out.
  }
}

/** The error a person sees when a call failed during a start. */
export const refused = (what: string, cause: unknown): AppError =>
  cause instanceof AppError
    ? cause
    : new AppError({
        code: 'unavailable',
        message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
        hint: 'Run `codex` in a terminal of its own to see whether it works there.',
        cause,
      });
