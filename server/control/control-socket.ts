import { rmSync } from 'node:fs';
import net from 'node:net';
import {
  AppError,
  ControlReply,
  ControlRequest,
  type ErrorShape,
  type HostReport,
  type HostStatus,
} from '../contract';
import { type Journal, VERSION } from '../platform';
import { takeLock } from './instance-lock';
import { parseJson, readLine, replyAndEnd } from './lines';

export interface ControlHandlers {
  open(): string | Promise<string>; // a launch URL with a fresh one-use code
  status(): HostStatus;
  doctor(): Promise<HostReport>;
  stop(): void; // called after the reply was sent
}

export interface ControlSocket {
  /** From here on the commands work; until then they answer "is starting". */
  serve(handlers: ControlHandlers): void;
  /** Gives the state folder up. Call it last, when the database is closed: a waiting host may start at once. */
  close(): Promise<void>;
}

const LINE = { maxBytes: 64 * 1024, deadlineMs: 5_000 };

/**
 * Takes the lock of the state folder and listens for the owner's commands. Call it before the database is opened.
 * `path` must lie in a folder that `privateFolder` accepted. Throws AppError `conflict` when a host is running.
 */
export async function createControlSocket(options: {
  path: string;
  journal: Journal;
}): Promise<ControlSocket> {
  const { path, journal } = options;
  const budget = { used: 0, max: 4 * 1024 * 1024 };
  const connections = new Set<net.Socket>();
  let handlers: ControlHandlers | null = null;

  const answer = async (socket: net.Socket): Promise<void> => {
    const line = await readLine(socket, LINE, budget);
    if (line === null) return;
    const request = ControlRequest.safeParse(parseJson(line));
    if (!request.success) {
      return replyAndEnd(socket, failed({ code: 'bad-input', message: 'Unknown command.' }));
    }
    try {
      const reply = await perform(request.data.cmd, handlers);
      if (request.data.cmd === 'stop') socket.once('close', () => handlers?.stop());
      replyAndEnd(socket, { ok: true, ...reply });
    } catch (error) {
      if (!(error instanceof AppError)) journal.warn(`The command "${request.data.cmd}" failed`, error);
      replyAndEnd(socket, failed(shapeOf(error)));
    }
  };

  const server = net.createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => {
      // The caller went away; nothing is owed to it.
    });
    socket.on('close', () => connections.delete(socket));
    void answer(socket);
  });
  server.maxConnections = 64;

  if (!(await takeLock(server, path))) {
    const pid = await pidOf(path);
    throw new AppError({
      code: 'conflict',
      message: `Offdeck is already running (${pid === null ? 'it does not answer' : `pid ${pid}`}).`,
      hint: pid === null ? 'End that process, then start again.' : 'Open it with: offdeck open',
    });
  }
  server.on('error', (error) => journal.warn('The control socket failed', error));

  return {
    serve(given) {
      handlers = given;
    },
    async close() {
      // Removed while it still listens: afterwards the path may already be another host's.
      rmSync(path, { force: true });
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

async function perform(
  cmd: ControlRequest['cmd'],
  handlers: ControlHandlers | null,
): Promise<Record<string, unknown>> {
  if (cmd === 'ping') return { pid: process.pid, version: VERSION };
  if (handlers === null) {
    throw new AppError({
      code: 'unavailable',
      message: 'Offdeck is starting.',
      hint: 'Try again in a second.',
    });
  }
  switch (cmd) {
    case 'open':
      return { url: await handlers.open() };
    case 'status':
      return { status: handlers.status() };
    case 'doctor':
      return { report: await handlers.doctor() };
    case 'stop':
      return {};
  }
}

const failed = (error: ErrorShape) => ({ ok: false, error });

const shapeOf = (error: unknown): ErrorShape =>
  error instanceof AppError
    ? error.toShape()
    : { code: 'internal', message: 'The host could not do this.', hint: "See the host's own log." };

/** The pid of the host that holds the socket; null when it does not say so within two seconds. */
function pidOf(path: string): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    let text = '';
    const done = (pid: number | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(pid);
    };
    const timer = setTimeout(() => done(null), 2_000);
    socket.on('connect', () => socket.write('{"cmd":"ping"}\n'));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!text.includes('\n')) return;
      const reply = ControlReply.ping.safeParse(parseJson(text));
      done(reply.success ? reply.data.pid : null);
    });
    socket.on('error', () => done(null));
    socket.on('close', () => done(null));
  });
}
