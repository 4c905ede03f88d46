import { Worker } from 'node:worker_threads';
import { decodeClient } from '../contract';
import type { Journal } from '../platform';
import type { HubOptions } from './hub';
import type { FromWorker, ToWorker } from './worker';

export interface TerminalClient {
  clientId: string; // device and tab
  canType: boolean;
  send(bytes: Uint8Array): void;
  buffered(): number;
  /** Ends the connection, so that the browser dials again and begins anew. */
  drop(): void;
}
export interface Terminal {
  /** Starts the worker; it connects to tmux by itself and again after every loss. */
  start(): void;
  /** The whole list of sessions with a pane; called again whenever it changes. */
  setPanes(panes: Map<string, string>): void;
  connect(client: TerminalClient): { receive(bytes: Uint8Array): 'ok' | 'bad'; close(): void };
  close(): Promise<void>;
}

const AGAIN_MS = 500;
/** A socket with this much on its way is a dead phone. It is dropped: a stream with holes could not be shown. */
const MAX_BUFFERED = 8 * 1024 * 1024;

export function createTerminal(
  options: HubOptions & { workerFile: string | URL; journal: Journal },
): Terminal {
  const { workerFile, journal, tmux, socket, env } = options;
  const clients = new Map<number, TerminalClient>();
  let worker: Worker | null = null;
  let panes = new Map<string, string>();
  let next = 1;
  let closing = false;

  const post = (message: ToWorker) => worker?.postMessage(message);
  const start = () => {
    worker = new Worker(workerFile, { workerData: { tmux, socket, env } satisfies HubOptions });
    worker.on('message', (message: FromWorker) => {
      const client = clients.get(message.id);
      if (!client || message.t !== 'send') return;
      if (client.buffered() > MAX_BUFFERED) {
        clients.delete(message.id);
        client.drop();
      } else client.send(message.bytes);
    });
    worker.on('error', (error) => journal.warn('the terminal worker failed', error));
    worker.on('exit', () => {
      if (closing) return;
      // Sessions are not touched. Viewers dial again once there is a thread that hears them.
      setTimeout(() => {
        if (closing) return;
        start();
        const all = [...clients.values()];
        clients.clear();
        for (const client of all) client.drop();
      }, AGAIN_MS);
    });
    post({ t: 'panes', panes });
  };

  return {
    start,
    setPanes(given) {
      panes = given;
      post({ t: 'panes', panes });
    },
    connect(client) {
      const id = next++;
      clients.set(id, client);
      post({ t: 'open', id, clientId: client.clientId, canType: client.canType });
      return {
        receive(bytes) {
          if (decodeClient(bytes) === null) return 'bad';
          post({ t: 'data', id, bytes: new Uint8Array(bytes) });
          return 'ok';
        },
        close() {
          clients.delete(id);
          post({ t: 'close', id });
        },
      };
    },
    async close() {
      closing = true;
      const ended = worker;
      if (!ended) return;
      const exited = new Promise((resolve) => ended.once('exit', resolve));
      ended.postMessage({ t: 'stop' } satisfies ToWorker);
      const timer = setTimeout(() => void ended.terminate(), 4_000);
      await exited;
      clearTimeout(timer);
    },
  };
}
