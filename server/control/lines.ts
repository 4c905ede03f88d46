import type { Socket } from 'node:net';

export interface LineLimits {
  maxBytes: number;
  deadlineMs: number; // for the whole line to arrive
}

/** Bytes held for lines that are not complete yet, over all connections of one listener. */
export interface LineBudget {
  used: number;
  max: number;
}

/**
 * Reads the first line of a connection. Resolves null, and ends the connection, when it is too long, too slow, over
 * the budget or never complete: a peer that misbehaves costs one bounded buffer. Never rejects.
 */
export function readLine(socket: Socket, limits: LineLimits, budget: LineBudget): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (line: string | null) => {
      clearTimeout(timer);
      budget.used -= size;
      size = 0;
      socket.off('data', onData);
      socket.off('close', onClose);
      if (line === null) socket.destroy();
      // Later bytes are dropped; without a reader the socket would not notice that its peer went away.
      else socket.resume();
      resolve(line);
    };
    const onData = (chunk: Buffer) => {
      const end = chunk.indexOf(10);
      const part = end < 0 ? chunk : chunk.subarray(0, end);
      size += part.length;
      budget.used += part.length;
      if (size > limits.maxBytes || budget.used > budget.max) return finish(null);
      chunks.push(part);
      if (end >= 0) finish(Buffer.concat(chunks).toString('utf8'));
    };
    const onClose = () => finish(null);
    const timer = setTimeout(() => finish(null), limits.deadlineMs);
    socket.on('data', onData);
    socket.on('close', onClose);
  });
}

/** The value of a JSON text, or undefined: hostile input is not an exception. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Writes one JSON line and ends the connection. A peer that left already is no error. */
export function replyAndEnd(socket: Socket, value: unknown): void {
  if (socket.destroyed) return;
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    text = '{"reply":null}';
  }
  socket.end(`${text}\n`);
}
