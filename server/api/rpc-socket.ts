import { TRPCError } from '@trpc/server';
import { getWSConnectionHandler } from '@trpc/server/adapters/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../contract';
import type { Journal } from '../platform';
import type { SocketHandler } from './proven-sockets';
import { appRouter } from './router';
import type { Caller, Services } from './services';

/** An idle phone's dead connection is noticed within 25 s; more often would keep its radio awake. */
const KEEP_ALIVE = { enabled: true, pingMs: 20_000, pongWaitMs: 5_000 };

/** A client that asks and does not read fills the host's memory, so it is not listened to beyond this. */
const MAX_UNREAD = 4 * 1024 * 1024;
const LOOK_MS = 50;

/**
 * Reads one burst of requests at a time, and the next only when their answers have mostly left. Who never reads stays
 * unread itself, and the keep-alive ends its socket.
 */
function holdBack(ws: WebSocket): void {
  const look = () => {
    if (ws.readyState !== ws.OPEN) return;
    if (ws.bufferedAmount > MAX_UNREAD) setTimeout(look, LOOK_MS).unref();
    else ws.resume();
  };
  ws.on('message', () => {
    if (ws.isPaused) return;
    ws.pause();
    setImmediate(look);
  });
}

/**
 * Queries, mutations and subscriptions of one browser over its proven socket. Who calls is what the socket proved;
 * nothing in a message can change it (S-11).
 */
export function createRpcSocket(deps: { services: Services; journal: Journal }): SocketHandler {
  const callers = new WeakMap<WebSocket, Caller>();
  const connect = getWSConnectionHandler({
    router: appRouter,
    wss: new WebSocketServer({ noServer: true }), // asked for by the type only: we hand the sockets in ourselves
    keepAlive: KEEP_ALIVE,
    createContext: ({ res }) => {
      const caller = callers.get(res);
      if (caller === undefined) throw new TRPCError({ code: 'UNAUTHORIZED' });
      return { services: deps.services, caller };
    },
    onError: ({ error, path }) => {
      if (error.cause instanceof AppError || error.code !== 'INTERNAL_SERVER_ERROR') return;
      deps.journal.warn(`The request ${path ?? '(none)'} failed`, error.cause ?? error);
    },
  });
  return (ws, req, caller) => {
    callers.set(ws, caller);
    holdBack(ws);
    connect(ws, req);
  };
}
