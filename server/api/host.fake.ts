/** For tests only: a real listener on a free port over an in-memory database, and raw ways to talk to it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../db/client';
import { type Auth, createAuth } from '../auth';
import { silentJournal, systemClock } from '../platform';
import { createHttpServer, type HttpServerOptions } from './http-server';
import type { Services } from './services';
import { loadShell } from './static-shell';
import type { TerminalPort } from './terminal-socket';

export const PAGE =
  '<!DOCTYPE html><html lang="en" data-style-nonce="__OFFDECK_NONCE__"><head><script src="/_next/static/a.js"></script>' +
  '<script>self.x="data-style-nonce=\\"__OFFDECK_NONCE__\\""</script><style>b{color:red}</style></head><body>Board</body></html>';
export const CHUNK = `/* ${'chunk '.repeat(400)}*/`;

export const SHELL_FILES: Record<string, string> = {
  'index.html': PAGE,
  'session.html': PAGE.replace('Board', 'Session'),
  '404.html': PAGE.replace('Board', 'Nothing here'),
  'session.txt': '0:{"a":"payload of the session page"}',
  'sw.js': 'self.addEventListener("fetch", () => {})',
  'manifest.webmanifest': '{"name":"Offdeck"}',
  '_next/static/a.js': CHUNK,
  '_next/static/[odd] name.js': 'odd',
  '_next/static/a.js.map': '{"sources":["/home/me/src"]}',
};

export function shellFolder(files: Record<string, string> = SHELL_FILES): string {
  const dir = mkdtempSync(join(tmpdir(), 'od-shell-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

export const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = net.createServer();
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => done(port));
    });
  });

/** Every method answers with its own name; `calls` says what was reached. */
export function stubServices(calls: string[] = []): Services {
  const group = (name: string) =>
    new Proxy(
      {},
      {
        get: (_, method) => () => {
          calls.push(`${name}.${String(method)}`);
          if (method === 'feed' || method === 'follow') {
            return (async function* () {
              yield { seq: 1, update: { kind: 'stub' } };
            })();
          }
          return `${name}.${String(method)}`;
        },
      },
    );
  return new Proxy({} as Services, { get: (_, name) => group(String(name)) as never });
}

export const deafTerminal: TerminalPort = { connect: () => ({ receive: () => 'ok', close: () => {} }) };

export interface TestHost {
  port: number;
  origin: string;
  auth: Auth;
  calls: string[];
  warnings: string[];
  /** Writes the text as it is and gives back all that comes until the other side closes. */
  raw(text: string, address?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startHost(change: Partial<HttpServerOptions> = {}): Promise<TestHost> {
  const db = openDatabase({ file: ':memory:', migrations: 'db/migrations', backups: null, now: () => 1 });
  const auth = createAuth({ db, clock: systemClock });
  const folder = shellFolder();
  const shell = await loadShell(folder);
  rmSync(folder, { recursive: true, force: true }); // it is in memory now, as a user's is
  const port = change.port ?? (await freePort());
  const calls: string[] = [];
  const warnings: string[] = [];
  const server = await createHttpServer({
    port,
    shell,
    auth,
    clock: systemClock,
    journal: {
      ...silentJournal,
      warn: (message, cause) => warnings.push(`${message}: ${String(cause)}`),
    },
    services: stubServices(calls),
    terminal: deafTerminal,
    ...change,
  });
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    auth,
    calls,
    warnings,
    raw: (text, address = '127.0.0.1') =>
      new Promise((resolve) => {
        const socket = net.connect(port, address, () => socket.write(text));
        const chunks: Buffer[] = [];
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('error', () => {}); // reset by the host: what came before counts
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
        socket.setTimeout(20_000, () => socket.destroy());
      }),
    async close() {
      await server.close();
      db.$client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for a condition by asking again. */
export async function until(what: string, ask: () => boolean, ms = 20_000): Promise<void> {
  const end = performance.now() + ms;
  while (!ask()) {
    if (performance.now() > end) throw new Error(`${what}: not within ${ms} ms`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
