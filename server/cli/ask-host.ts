import net from 'node:net';
import { z } from 'zod';
import { AppError, ControlReply, type ControlRequest, ErrorShape } from '../contract';

const Failed = z.object({ ok: z.literal(false), error: ErrorShape });

/** What went wrong when nobody listens; the caller gives it an exit code of its own. */
export const NOT_RUNNING = 'Offdeck is not running.';

const DEADLINE_MS = 20_000; // `doctor` asks every CLI for its version

/**
 * One command to the running host and its reply. Throws AppError: `not-found` when no host runs, the host's own error,
 * or `unavailable` when it does not answer.
 */
export function askHost<C extends ControlRequest['cmd']>(
  socketPath: string,
  cmd: C,
  deadlineMs = DEADLINE_MS,
): Promise<z.infer<(typeof ControlReply)[C]>> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath).setEncoding('utf8');
    let text = '';
    let settled = false;
    const fail = (code: 'not-found' | 'unavailable', message: string, hint: string) => {
      settled = true;
      clearTimeout(timer);
      socket.destroy();
      reject(new AppError({ code, message, hint }));
    };
    const silent = () =>
      fail('unavailable', 'Offdeck runs but does not answer.', 'Try again; if it stays so, end its process.');
    const timer = setTimeout(silent, deadlineMs);
    socket.on('connect', () => socket.write(`${JSON.stringify({ cmd })}\n`));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') {
        fail('not-found', NOT_RUNNING, 'Start it with: offdeck start');
      } else if (error.code === 'EACCES') {
        fail('unavailable', `The socket ${socketPath} belongs to another user.`, 'Run this as that user.');
      } else silent();
    });
    socket.on('close', () => {
      if (settled) return;
      clearTimeout(timer);
      try {
        resolve(readReply(cmd, text));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** The reply line; a host of another version may say something we do not understand. */
function readReply<C extends ControlRequest['cmd']>(cmd: C, text: string): z.infer<(typeof ControlReply)[C]> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Judged below: undefined fits no schema.
  }
  const failed = Failed.safeParse(value);
  if (failed.success) throw new AppError(failed.data.error);
  const reply = ControlReply[cmd].safeParse(value);
  if (!reply.success) {
    throw new AppError({
      code: 'unavailable',
      message: 'The running host and this command do not understand each other.',
      hint: 'They may be of different versions: stop the host and start it again.',
    });
  }
  return reply.data as z.infer<(typeof ControlReply)[C]>;
}
