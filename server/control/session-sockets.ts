import { chmodSync, rmSync } from 'node:fs';
import net from 'node:net';
import { z } from 'zod';
import type { SessionId } from '../contract';
import { type Journal, type Paths, sameSecret } from '../platform';
import { parseJson, readLine, replyAndEnd } from './lines';

/** One call of a session's hook client. Which session it is comes from the socket, never from the message. */
export interface SessionCall {
  event: string;
  callId: string; // the same when a hook comes back after a restart of the host
  payload: unknown;
  /** Fires when the hook process went away before it had a reply. Never fires for a call that does not wait. */
  gone: AbortSignal;
}

export interface SessionSockets {
  /** Listens for one session; opening it again replaces handler and capability. */
  open(
    sessionId: SessionId,
    capability: string,
    handler: (call: SessionCall) => Promise<unknown>,
  ): Promise<{ socket: string }>;
  close(sessionId: SessionId): Promise<void>;
  closeAll(): Promise<void>;
}

const Line = z.object({
  v: z.literal(1),
  capability: z.string().max(200),
  event: z.string().regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,60}$/),
  callId: z.string().min(1).max(100),
  payload: z.unknown(),
  wait: z.boolean(),
});

/** A tool's whole input can be in a request (a file to write), so a line may be long. */
export const MAX_LINE = 10 * 1024 * 1024;
const LINE = { maxBytes: MAX_LINE, deadlineMs: 10_000 };
/** Of one session at once: its subagents may all wait for an answer, but it may not eat the host's memory. */
const MAX_CONNECTIONS = 200;
const MAX_HELD = 64 * 1024 * 1024;

const NEVER = new AbortController().signal;

/**
 * Sockets on which agents' hooks speak. Malformed input ends its connection and nothing else. The caller holds the
 * instance lock: a socket file found at a session's path is a dead host's and is removed.
 */
export function createSessionSockets(deps: { paths: Paths; journal: Journal }): SessionSockets {
  const open = new Map<SessionId, Listener>();
  const close = async (sessionId: SessionId) => {
    const listener = open.get(sessionId);
    open.delete(sessionId);
    await listener?.close();
  };
  return {
    async open(sessionId, capability, handler) {
      await close(sessionId);
      const socket = deps.paths.session(sessionId).socket;
      const listener = new Listener(socket, capability, handler, (message, cause) =>
        deps.journal.warn(`Session ${sessionId}: ${message}`, cause),
      );
      open.set(sessionId, listener);
      await listener.listen();
      return { socket };
    },
    close,
    async closeAll() {
      await Promise.all([...open.keys()].map(close));
    },
  };
}

class Listener {
  readonly #server: net.Server;
  readonly #connections = new Set<net.Socket>();
  readonly #budget = { used: 0, max: MAX_HELD };
  #complained = false;

  constructor(
    readonly path: string,
    readonly capability: string,
    readonly handler: (call: SessionCall) => Promise<unknown>,
    readonly warn: (message: string, cause?: unknown) => void,
  ) {
    this.#server = net.createServer((socket) => {
      this.#connections.add(socket);
      socket.on('error', () => {
        // The hook was killed with its agent; `close` tells the rest.
      });
      socket.on('close', () => this.#connections.delete(socket));
      void this.#serve(socket);
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  async listen(): Promise<void> {
    rmSync(this.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ path: this.path, backlog: 511 }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.warn('its socket failed', error));
        resolve();
      });
    });
    chmodSync(this.path, 0o600);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#connections) socket.destroy();
    await closed;
    rmSync(this.path, { force: true });
  }

  async #serve(socket: net.Socket): Promise<void> {
    const text = await readLine(socket, LINE, this.#budget);
    if (text === null) return;
    const line = Line.safeParse(parseJson(text));
    if (!line.success) {
      // Also a hook client of another version: "no decision" lets its agent go on by itself.
      replyAndEnd(socket, { reply: null, error: 'malformed' });
      return;
    }
    if (!sameSecret(line.data.capability, this.capability)) {
      // Said once: whoever forges calls should not be able to flood the log with it.
      if (!this.#complained) this.warn('a call with a wrong capability was refused');
      this.#complained = true;
      socket.destroy();
      return;
    }
    await this.#call(socket, line.data);
  }

  async #call(socket: net.Socket, line: z.infer<typeof Line>): Promise<void> {
    const gone = new AbortController();
    let replied = false;
    socket.on('close', () => {
      if (!replied) gone.abort();
    });
    if (socket.destroyed) gone.abort();
    const call = { event: line.event, callId: line.callId, payload: line.payload };
    const handled = this.#handle({ ...call, gone: line.wait ? gone.signal : NEVER });
    // A call that does not wait is told "taken" at once, so a slow observer never slows the agent.
    const reply = line.wait ? await handled : null;
    replied = true;
    replyAndEnd(socket, { reply: reply ?? null });
  }

  async #handle(call: SessionCall): Promise<unknown> {
    try {
      return await this.handler(call);
    } catch (error) {
      this.warn(`its hook "${call.event}" failed`, error);
      return null;
    }
  }
}
