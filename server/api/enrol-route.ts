import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auth } from '../auth';
import { AppError, EnrolRequest } from '../contract';
import type { Journal } from '../platform';
import { sendError, sendJson } from './reply';

const MAX_BODY = 4 * 1024;

/** POST /auth/enrol: a launch code becomes a device. The only thing a stranger can ask of us. Never throws. */
export async function answerEnrol(
  req: IncomingMessage,
  res: ServerResponse,
  context: { auth: Pick<Auth, 'enrol'>; origin: string; journal: Journal },
): Promise<void> {
  try {
    const type = String(req.headers['content-type'] ?? '')
      .split(';')[0]!
      .trim()
      .toLowerCase();
    if (type !== 'application/json') throw badInput('The request is not JSON.');
    const request = EnrolRequest.safeParse(parse(await readBody(req)));
    if (!request.success) throw badInput('The request was not understood.');
    const reply = context.auth.enrol(request.data, context.origin);
    context.journal.info(`a browser was signed in (${request.data.label})`);
    sendJson(req, res, 200, reply);
  } catch (error) {
    if (!(error instanceof AppError)) context.journal.warn('A sign-in failed', error);
    if (!res.headersSent && !res.destroyed) sendError(req, res, error);
  }
}

const badInput = (message: string) => new AppError({ code: 'bad-input', message });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readBody(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY) {
        // The rest is not read: the answer closes the connection.
        req.pause();
        reject(badInput('The request is too large.'));
        return;
      }
      chunks.push(chunk);
    });
    req.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    req.once('error', () => reject(badInput('The request ended early.')));
    req.once('close', () => reject(badInput('The request ended early.')));
  });
}
