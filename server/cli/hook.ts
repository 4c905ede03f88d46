import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';

/*
 * The hook client: `node hook.mjs <session folder> <event>`, run by an agent's CLI, JSON on stdin, the reply on stdout.
 * A program of its own in one small bundle without dependencies, since it starts dozens of times a minute. It fails
 * open: without a host it ends with code 0 and prints nothing, and the agent goes on by itself. Only a request
 * for permission waits: for as long as its agent lives, over restarts of the host, always with the same call id.
 */
const PATIENCE_MS = 250; // of every other event; with the start of Node this stays near 300 ms
const MAX_INPUT = 10 * 1024 * 1024;
const MAX_REPLY = 1024 * 1024;
const RETRY_MS = { first: 500, most: 2_000 };
const WATCH_PARENT_MS = 500;

type Answer = { reply: unknown } | null; // null: the host went away before it answered

/** Never a code other than 0: a CLI would show our failure, or take it for a decision. */
const end = (): never => process.exit(0);
process.on('uncaughtException', end);
process.on('unhandledRejection', end);
process.stdout.on('error', end);

const [dir = '', event = ''] = process.argv.slice(2);
const isRequest = event === 'PermissionRequest';
const callId = randomBytes(12).toString('hex');

function readInput(): Promise<string | null> {
  return new Promise((resolve) => {
    if (process.stdin.isTTY) return resolve('');
    const chunks: Buffer[] = [];
    let size = 0;
    process.stdin.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_INPUT) resolve(null);
      else chunks.push(chunk);
    });
    process.stdin.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    process.stdin.on('error', () => resolve(''));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Read anew for each try: a resumed session may have another socket or capability. */
function address(): { socket: string; capability: string } | null {
  try {
    const value = JSON.parse(readFileSync(`${dir}/hook.json`, 'utf8')) as Record<string, unknown>;
    return typeof value.socket === 'string' && typeof value.capability === 'string'
      ? { socket: value.socket, capability: value.capability }
      : null;
  } catch {
    return null;
  }
}

function call(payload: unknown, wait: boolean): Promise<Answer> {
  return new Promise((resolve) => {
    const where = address();
    if (where === null) return resolve(null);
    const socket = net.connect(where.socket).setEncoding('utf8');
    let text = '';
    const done = (answer: Answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => {
      const { capability } = where;
      socket.write(`${JSON.stringify({ v: 1, capability, event, callId, payload, wait })}\n`);
    });
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.length > MAX_REPLY) return done({ reply: null });
      const stop = text.indexOf('\n');
      if (stop < 0) return;
      const value = parse(text.slice(0, stop)) as { reply?: unknown } | null;
      done({ reply: value?.reply ?? null });
    });
    socket.on('error', () => done(null));
    socket.on('close', () => done(null));
  });
}

/** The parent of a process, or null where it cannot be read cheaply (not Linux). */
function parentOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? null;
  } catch {
    return null;
  }
}

/**
 * Ends us when the agent is gone. A CLI may run hooks through a shell that outlives it, so the parent's parent counts
 * too; which of the two is the agent does not matter, as both live as long as it does.
 */
function endWithParent(): void {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  if (parent === 1) end();
  setInterval(() => {
    if (process.ppid !== parent || parentOf(parent) !== grandparent) end();
  }, WATCH_PARENT_MS);
}

/** Standard output may be a pipe: leave only after it took everything. */
const printAndEnd = (text: string): void => {
  process.stdout.write(text, end);
};

async function request(): Promise<void> {
  endWithParent();
  const input = await readInput();
  if (input === null) end();
  const payload = parse(input ?? '');
  for (let delay = RETRY_MS.first; ; delay = Math.min(delay * 1.5, RETRY_MS.most)) {
    const answer = await call(payload, true);
    if (answer !== null) {
      if (answer.reply === null) end();
      return printAndEnd(JSON.stringify(answer.reply));
    }
    // The session was removed: nobody will ever answer.
    if (!existsSync(dir)) end();
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

async function report(): Promise<void> {
  setTimeout(end, PATIENCE_MS);
  const input = await readInput();
  if (input === null) end();
  const answer = await call(parse(input ?? ''), event === 'StatusLine');
  const reply = answer?.reply as { text?: unknown } | null | undefined;
  if (event === 'StatusLine' && typeof reply?.text === 'string') return printAndEnd(reply.text);
  end();
}

if (dir === '' || event === '') end();
void (isRequest ? request() : report());
