import type { RawData } from 'ws';
import { CLOSE, MAX_CLIENT_FRAME, TERMINAL_SCOPES } from '../contract';
import { newId } from '../platform';
import type { SocketHandler } from './proven-sockets';

/** What the terminal capability is to a socket. */
export interface TerminalPort {
  connect(client: {
    clientId: string;
    canType: boolean;
    send(bytes: Uint8Array): void;
    /** Bytes handed to `send` that the network has not taken yet. */
    buffered(): number;
    /** Ends the connection at once; a browser dials again by itself. */
    drop(): void;
  }): {
    /** 'bad': the frame was malformed, and the socket is closed. */
    receive(bytes: Uint8Array): 'ok' | 'bad';
    close(): void;
  };
}

const PING_MS = 20_000;
const PONG_MS = 5_000;

/**
 * Joins a proven socket to the terminal. The browser names its tab (`?tab=`), so that one device's two tabs are two
 * viewers and a redial of one tab is the same viewer again; the device part of the name is what was proved.
 */
export function createTerminalSocket(terminal: TerminalPort): SocketHandler {
  return (ws, _req, caller, query) => {
    if (!caller.scopes.includes(TERMINAL_SCOPES.watch)) {
      ws.close(CLOSE.refused, 'This device may not see terminals.');
      return;
    }
    const client = terminal.connect({
      clientId: `${caller.deviceId}.${tabOf(query)}`,
      canType: caller.scopes.includes(TERMINAL_SCOPES.type),
      send: (bytes) => {
        if (ws.readyState === ws.OPEN) ws.send(bytes, { binary: true });
      },
      buffered: () => ws.bufferedAmount,
      drop: () => ws.terminate(),
    });
    ws.on('message', (data: RawData, binary: boolean) => {
      if (ws.readyState !== ws.OPEN) return; // closing: keys that were on their way are not typed any more
      if (!binary || !Buffer.isBuffer(data)) ws.close(CLOSE.protocol, 'Binary frames only.');
      else if (data.length > MAX_CLIENT_FRAME) ws.close(CLOSE.tooLarge, 'The frame is too large.');
      else if (client.receive(data) === 'bad') ws.close(CLOSE.protocol, 'The frame is malformed.');
    });

    // A viewer that vanished without a word would hold the size of a terminal.
    let pong: NodeJS.Timeout | undefined;
    const ping = setInterval(() => {
      ws.ping();
      pong ??= setTimeout(() => ws.terminate(), PONG_MS);
    }, PING_MS);
    ws.on('pong', () => {
      clearTimeout(pong);
      pong = undefined;
    });
    ws.once('close', () => {
      clearInterval(ping);
      clearTimeout(pong);
      client.close();
    });
  };
}

function tabOf(query: string): string {
  const tab = new URLSearchParams(query).get('tab') ?? '';
  return /^[a-z0-9]{1,24}$/.test(tab) ? tab : newId(40);
}
