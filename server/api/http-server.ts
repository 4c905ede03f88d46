import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Auth } from '../auth';
import { MAX_CLIENT_FRAME } from '../contract';
import type { Clock, Journal } from '../platform';
import { answerEnrol } from './enrol-route';
import { createGate, type GateRequest, type Verdict } from './gate';
import { listenOnLoopback, requirePort } from './listen';
import { createProvenSockets, type SocketHandler } from './proven-sockets';
import { refuseUpgrade, sendFile, sendPage, sendText, setFixedHeaders } from './reply';
import {
  HTTP_ROUTES,
  type HttpRouteName,
  SOCKET_ROUTES,
  type SocketRouteName,
  socketRouteOf,
} from './routes';
import { createRpcSocket } from './rpc-socket';
import { contentSecurityPolicy } from './security-headers';
import type { Services } from './services';
import type { Shell } from './static-shell';
import { createTerminalSocket, type TerminalPort } from './terminal-socket';

/** The framework's own server, behind ours in development: it gets what passed the gate and is not ours. */
export interface DevHandler {
  request(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpServerOptions {
  port: number;
  /** Origins of a TLS proxy in front, e.g. `https://box.tail1234.ts.net`. */
  hosts?: readonly string[];
  shell: Shell | null; // null only with `devHandler`
  auth: Auth;
  clock: Clock;
  journal: Journal;
  services: Services;
  terminal: TerminalPort;
  devHandler?: DevHandler;
  /** Names of the Trusted Types policies the client may create; null leaves Trusted Types off. */
  trustedTypes?: readonly string[] | null;
}
export interface HttpServer {
  readonly url: string;
  /** What it is bound to, as the system says it: "127.0.0.1:7433". */
  addresses(): string[];
  /** Something the person should know about how we listen, or null. */
  readonly note: string | null;
  /** Closes every socket with `goingAway` and gives the port up. */
  close(): Promise<void>;
}

/** One frame of a browser's requests: a start prompt with its text is the largest. */
const MAX_RPC_FRAME = 1024 * 1024;

type Passed = Extract<Verdict, { ok: true }>;

/**
 * The one listener of this host. Every request and every upgrade passes the gate before it is routed; sockets belong
 * to a proven device before anything else of ours sees them. Throws AppError when the port cannot be had.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { auth, journal, shell, devHandler } = options;
  const trustedTypes = options.trustedTypes === undefined ? DEFAULT_TRUSTED_TYPES : options.trustedTypes;
  requirePort(options.port);
  const gate = createGate({
    port: options.port,
    proxyOrigins: options.hosts ?? [],
    dev: devHandler !== undefined,
    clientPayload: (path) => path.endsWith('.txt') && shell?.find(path)?.kind === 'file',
  });
  const sockets = createProvenSockets(options);
  const upgraders: Record<SocketRouteName, { wss: WebSocketServer; handler: SocketHandler }> = {
    rpc: { wss: socketServer(MAX_RPC_FRAME), handler: createRpcSocket(options) },
    // A little above the limit of a frame, so that our own close code tells the browser why.
    term: { wss: socketServer(MAX_CLIENT_FRAME + 1024), handler: createTerminalSocket(options.terminal) },
  };

  const handlers: Record<HttpRouteName, (req: IncomingMessage, res: ServerResponse, at: Passed) => void> = {
    health: (req, res) => sendText(req, res, 200, 'ok'),
    enrol: (req, res, at) => {
      void answerEnrol(req, res, { auth, journal, origin: at.origin ?? '' });
    },
    shell: (req, res, at) => {
      const origin = gate.originOf(at.host);
      if (devHandler) {
        const relaxed = {
          origin,
          nonce: '',
          scriptHashes: [],
          styleHashes: [],
          trustedTypes: null,
          dev: true,
        };
        res.setHeader('Content-Security-Policy', contentSecurityPolicy(relaxed));
        devHandler.request(req, res);
        return;
      }
      const found = shell?.find(at.path) ?? shell?.notFound;
      if (!found) sendText(req, res, 404, 'Not found.');
      else if (found.kind === 'file') sendFile(req, res, found, origin);
      else sendPage(req, res, found === shell?.notFound ? 404 : 200, found, { origin, trustedTypes });
    },
  };

  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    setFixedHeaders(res);
    try {
      const at = gate.judge(asked(req, false));
      const route = at.ok ? httpRouteOf(req.method ?? '', at.path, devHandler !== undefined) : null;
      if (!at.ok) {
        sendText(req, res, at.status, at.message);
      } else if (route === null) {
        res.setHeader('Allow', 'GET, HEAD');
        sendText(req, res, 405, 'Not here.');
      } else {
        handlers[route](req, res, at);
      }
    } catch (error) {
      journal.warn('A request failed', error);
      if (res.headersSent) res.destroy();
      else sendText(req, res, 500, 'Something went wrong on the host.');
    }
  };

  const routeUpgrade = (at: Passed, req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (devHandler && at.path.startsWith('/_next/')) {
      devHandler.upgrade(req, socket, head);
      return;
    }
    const route = socketRouteOf(at.path);
    // A query on the rpc socket would be read by the library behind it; none has a meaning there.
    if (route === null || at.origin === null || (route === 'rpc' && at.query !== '')) {
      refuseUpgrade(socket, 404, 'There is no such socket.');
    } else {
      const { wss, handler } = upgraders[route];
      const about = { origin: at.origin, purpose: SOCKET_ROUTES[route].path };
      wss.handleUpgrade(req, socket, head, (ws) => {
        sockets.greet(ws, socket, about, (caller) => handler(ws, req, caller, at.query));
      });
    }
  };

  // The server forgets a connection that was upgraded, and then waits for it for ever when it closes.
  const upgraded = new Set<Duplex>();
  const onUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    socket.on('error', () => {
      // The peer is gone; nothing is owed to it, and an unheard error would end the process.
    });
    try {
      const at = gate.judge(asked(req, true));
      if (at.ok) routeUpgrade(at, req, socket, head);
      else refuseUpgrade(socket, at.status, at.message);
    } catch (error) {
      journal.warn('An upgrade failed', error);
      socket.destroy();
    }
  };

  const { servers, note } = await listenOnLoopback(options.port, () => makeServer(onRequest, onUpgrade));

  return {
    url: gate.origins[0]!,
    note,
    addresses: () => servers.flatMap((server) => shownAddress(server.address())),
    async close() {
      sockets.close();
      for (const { wss } of Object.values(upgraders)) wss.close();
      const closed = servers.map((server) => new Promise((done) => server.close(done)));
      const cut = setTimeout(() => {
        for (const server of servers) server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, 500);
      for (const server of servers) server.closeIdleConnections();
      await Promise.all(closed);
      clearTimeout(cut);
    },
  };
}

/** Off: the framework's chunk loader and the terminal assign plain strings. docs/decisions/0006-trusted-types-off.md */
const DEFAULT_TRUSTED_TYPES: readonly string[] | null = null;

const shownAddress = (bound: ReturnType<Server['address']>): string[] =>
  bound === null || typeof bound === 'string'
    ? []
    : [bound.family === 'IPv6' ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`];

function asked(req: IncomingMessage, upgrade: boolean): GateRequest {
  return { method: req.method ?? '', url: req.url ?? '', rawHeaders: req.rawHeaders, upgrade };
}

function httpRouteOf(method: string, path: string, dev: boolean): HttpRouteName | null {
  const reading = method === 'GET' || method === 'HEAD';
  for (const name of Object.keys(HTTP_ROUTES) as HttpRouteName[]) {
    const route = HTTP_ROUTES[name];
    if (route.path !== path) continue;
    if (route.method === method || (route.method === 'GET' && reading)) return name;
    return null;
  }
  return reading || dev ? 'shell' : null;
}

const socketServer = (maxPayload: number): WebSocketServer =>
  // Compression is off: it costs memory a connection and delays keys; terminal output is already cut in the host.
  new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload, clientTracking: false });

function makeServer(
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
  onUpgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Server {
  const server = createServer({
    requireHostHeader: false, // a missing Host gets the gate's own answer
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: 5_000,
  });
  server.maxConnections = 1_024;
  server.on('request', onRequest);
  server.on('upgrade', onUpgrade);
  server.on('checkContinue', onRequest);
  server.on('connect', (_req, socket) => refuseUpgrade(socket, 421, 'This is no proxy.'));
  server.on('clientError', (_error, socket) => refuseUpgrade(socket, 400, 'The request is malformed.'));
  return server;
}
