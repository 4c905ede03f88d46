import { parentPort, workerData } from 'node:worker_threads';
import { Hub, type HubOptions } from './hub';

/** What the main thread says; see index.ts. */
export type ToWorker =
  | { t: 'panes'; panes: Map<string, string> }
  | { t: 'open'; id: number; clientId: string; canType: boolean }
  | { t: 'data'; id: number; bytes: Uint8Array }
  | { t: 'close'; id: number }
  | { t: 'stop' };
export type FromWorker = { t: 'send'; id: number; bytes: Uint8Array } | { t: 'bad'; id: number };

const port = parentPort;
if (port) {
  const hub = new Hub(workerData as HubOptions);
  port.on('message', (message: ToWorker) => {
    switch (message.t) {
      case 'panes':
        hub.setPanes(message.panes);
        break;
      case 'open':
        hub.open(message.id, message.clientId, message.canType, (bytes) => {
          const copy = new Uint8Array(bytes);
          port.postMessage({ t: 'send', id: message.id, bytes: copy } satisfies FromWorker, [copy.buffer]);
        });
        break;
      case 'data':
        if (!hub.receive(message.id, message.bytes)) {
          port.postMessage({ t: 'bad', id: message.id } satisfies FromWorker);
        }
        break;
      case 'close':
        hub.close(message.id);
        break;
      case 'stop':
        // Not `process.exit`: the thread ends by itself once nothing is open in it, the pty's own thread included.
        void hub.stop().finally(() => port.close());
        break;
    }
  });
  hub.start();
}
