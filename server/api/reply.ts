import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { AppError, type ErrorCode, type ErrorShape } from '../contract';
import { contentSecurityPolicy, FIXED_HEADERS, INERT_POLICY, scriptPolicy } from './security-headers';
import { pageWithNonce, type ShellFile, type ShellPage } from './static-shell';

const HTTP_STATUS: Record<ErrorCode, number> = {
  'bad-input': 400,
  'not-found': 404,
  'not-allowed': 403,
  'signed-out': 401,
  conflict: 409,
  'missing-tool': 500,
  untrusted: 409,
  unavailable: 503,
  internal: 500,
};

export const setFixedHeaders = (res: ServerResponse): void => {
  for (const [name, value] of Object.entries(FIXED_HEADERS)) res.setHeader(name, value);
};

const finish = (req: IncomingMessage, res: ServerResponse, body: string | Buffer): void => {
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(req.method === 'HEAD' ? undefined : body);
};

export function sendText(req: IncomingMessage, res: ServerResponse, status: number, text: string): void {
  res.statusCode = status;
  res.setHeader('Content-Security-Policy', INERT_POLICY);
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  // A refused request may have a body that nobody reads: the connection is not used again.
  if (status >= 400) res.setHeader('Connection', 'close');
  finish(req, res, `${text}\n`);
}

export function sendJson(req: IncomingMessage, res: ServerResponse, status: number, value: unknown): void {
  res.statusCode = status;
  res.setHeader('Content-Security-Policy', INERT_POLICY);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  if (status >= 400) res.setHeader('Connection', 'close');
  finish(req, res, JSON.stringify(value));
}

/** The one shape of an error on the wire; an unexpected one says nothing of itself (its text may hold paths). */
export function sendError(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const shape: ErrorShape =
    error instanceof AppError
      ? error.toShape()
      : {
          code: 'internal',
          message: 'Something went wrong on the host.',
          hint: 'The host log has the details.',
        };
  sendJson(req, res, HTTP_STATUS[shape.code], shape);
}

export interface PageContext {
  origin: string;
  trustedTypes: readonly string[] | null;
}

export function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: ShellPage,
  context: PageContext,
): void {
  const nonce = randomBytes(16).toString('base64url');
  const { scriptHashes, styleHashes } = page;
  res.statusCode = status;
  res.setHeader(
    'Content-Security-Policy',
    contentSecurityPolicy({ ...context, nonce, scriptHashes, styleHashes, dev: false }),
  );
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  // No ETag: a 304 would join a stored page with the new answer's nonce, and the browser would block its styles.
  res.setHeader('Cache-Control', 'no-cache');
  res.setHeader('Vary', 'Accept-Encoding');
  const html = Buffer.from(pageWithNonce(page, nonce), 'utf8');
  if (accepts(req, 'gzip')) {
    res.setHeader('Content-Encoding', 'gzip');
    finish(req, res, gzipSync(html, { level: 4 }));
  } else {
    finish(req, res, html);
  }
}

export function sendFile(req: IncomingMessage, res: ServerResponse, file: ShellFile, origin: string): void {
  const script = file.type.startsWith('text/javascript');
  res.setHeader('Content-Security-Policy', script ? scriptPolicy(origin) : INERT_POLICY);
  res.setHeader('Cache-Control', file.cache);
  res.setHeader('ETag', file.etag);
  res.setHeader('Vary', 'Accept-Encoding');
  if (req.headers['if-none-match']?.split(/\s*,\s*/).some((tag) => tag.replace(/^W\//, '') === file.etag)) {
    res.statusCode = 304;
    res.end();
    return;
  }
  res.setHeader('Content-Type', file.type);
  const encoding = (['br', 'gzip'] as const).find((name) => file[name] !== null && accepts(req, name));
  if (encoding) res.setHeader('Content-Encoding', encoding);
  finish(req, res, (encoding && file[encoding]) || file.body);
}

function accepts(req: IncomingMessage, encoding: string): boolean {
  const header = String(req.headers['accept-encoding'] ?? '');
  return header.split(',').some((part) => {
    const [name, ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return name === encoding && !parameters.some((p) => /^q=0(\.0*)?$/.test(p));
  });
}

/** Answers an upgrade that is not to be: there is no response object yet, and the peer may be gone already. */
export function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const headers = { ...FIXED_HEADERS, 'Content-Security-Policy': INERT_POLICY };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.join('')}` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
