import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { type Auth, HELLO_MS } from '../auth';
import { AppError, type Challenge, CLOSE, type DeviceId, Hello, PROTOCOL, type Welcome } from '../contract';
import type { Clock, Journal } from '../platform';
import type { Caller } from './services';

/** Takes over a socket whose device is known. Must attach its listeners before it returns. */
export type SocketHandler = (ws: WebSocket, req: IncomingMessage, caller: Caller, query: string) => void;

export const MAX_UNPROVEN = 256;
const MAX_HELLO = 4 * 1024;
/** A refused peer that does not close its side is cut off: it holds one of the few places. */
const LINGER_MS = 300;

export interface ProvenSockets {
  /**
   * Asks a fresh socket who it is. `handover` is called in the same tick as the proof, and must attach its listeners
   * before it returns: frames that came along with the proof follow at once.
   */
  greet(
    ws: WebSocket,
    raw: Duplex,
    about: { origin: string; purpose: string },
    handover: (caller: Caller) => void,
  ): void;
  /** Closes every socket with `goingAway`. */
  close(): void;
}

/**
 * The sockets of this host, from the challenge to the end. A socket that has proved nothing costs one place of 256,
 * a timer and at most one chunk of memory, and the oldest such makes room for the next: strangers that say nothing keep
 * nobody out (S-07); a revoked device's sockets end at once (S-16).
 */
export function createProvenSockets(deps: {
  auth: Pick<Auth, 'serverId' | 'proveSocket' | 'onRevoked'>;
  clock: Clock;
  journal: Journal;
}): ProvenSockets {
  const { auth, clock, journal } = deps;
  const unproven = new Set<WebSocket>();
  const proven = new Map<DeviceId, Set<WebSocket>>();

  const end = (ws: WebSocket, code: number, reason: string): void => {
    // A closing socket still delivers what was on its way; nobody may act on that any more.
    ws.removeAllListeners('message');
    ws.close(code, reason.slice(0, 120));
    const cut = setTimeout(() => ws.terminate(), LINGER_MS);
    ws.once('close', () => clearTimeout(cut));
  };

  const stopWatching = auth.onRevoked((id) => {
    for (const ws of proven.get(id) ?? []) end(ws, CLOSE.revoked, 'This device was removed.');
  });

  const keep = (ws: WebSocket, id: DeviceId): void => {
    const mine = proven.get(id) ?? new Set();
    proven.set(id, mine.add(ws));
    ws.once('close', () => {
      mine.delete(ws);
      if (mine.size === 0) proven.delete(id);
    });
  };

  return {
    greet(ws, raw, about, handover) {
      const nonce = randomBytes(32).toString('base64url');
      const openedAt = clock.mono();
      let bytes = 0;
      const [oldest] = unproven.size >= MAX_UNPROVEN ? unproven : [];
      if (oldest) {
        unproven.delete(oldest);
        oldest.terminate();
      }
      unproven.add(ws);

      const settle = () => {
        clearTimeout(late);
        raw.off('data', count);
        ws.off('message', answer);
      };
      const refuse = (code: number, reason: string) => {
        settle();
        end(ws, code, reason);
      };
      // Counted below the frames, so that neither one huge frame nor a thousand fragments can be made to pile up. Runs
      // after the parser's own listener: whoever has proved himself by then is no longer counted.
      const count = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_HELLO + 64) refuse(CLOSE.tooLarge, 'The first frame is too large.');
      };
      const answer = (data: RawData, binary: boolean) => {
        const read = readHello(data, binary);
        if ('refused' in read) {
          refuse(read.refused, read.reason);
          return;
        }
        let caller: Caller;
        try {
          caller = auth.proveSocket({ hello: read.hello, nonce, openedAt, ...about });
        } catch (error) {
          if (!(error instanceof AppError)) journal.warn('A device could not be checked', error);
          refuse(CLOSE.refused, error instanceof AppError ? error.message : 'Not now.');
          return;
        }
        settle();
        unproven.delete(ws);
        keep(ws, caller.deviceId);
        const welcome: Welcome = { t: 'welcome', label: caller.label, scopes: [...caller.scopes] };
        ws.send(JSON.stringify(welcome));
        try {
          handover(caller);
        } catch (error) {
          journal.warn('A socket could not be taken over', error);
          end(ws, CLOSE.goingAway, 'Try again.');
        }
      };
      const late = setTimeout(() => refuse(CLOSE.late, 'The device did not prove itself.'), HELLO_MS);

      // Must stay for the socket's whole life: an unheard 'error' (a bad frame is enough) would end the process.
      ws.on('error', () => {});
      ws.once('close', () => {
        settle();
        unproven.delete(ws);
      });
      ws.once('message', answer);
      raw.on('data', count);
      const challenge: Challenge = { t: 'challenge', protocol: PROTOCOL, serverId: auth.serverId, nonce };
      ws.send(JSON.stringify(challenge));
    },

    close() {
      stopWatching();
      for (const ws of unproven) end(ws, CLOSE.goingAway, 'The host is stopping.');
      for (const mine of proven.values()) {
        for (const ws of mine) end(ws, CLOSE.goingAway, 'The host is stopping.');
      }
    },
  };
}

function readHello(data: RawData, binary: boolean): { hello: Hello } | { refused: number; reason: string } {
  const malformed = { refused: CLOSE.refused, reason: 'The first frame is no hello.' };
  if (binary || !Buffer.isBuffer(data)) return malformed;
  if (data.length > MAX_HELLO) return { refused: CLOSE.tooLarge, reason: 'The first frame is too large.' };
  let value: unknown;
  try {
    value = JSON.parse(data.toString('utf8'));
  } catch {
    return malformed;
  }
  const stated = (value as { protocol?: unknown } | null)?.protocol;
  // Before its shape is judged: another protocol's hello may well look different, and its page must reload.
  if (typeof stated === 'number' && stated !== PROTOCOL) {
    return { refused: CLOSE.protocol, reason: 'Reload the page.' };
  }
  const hello = Hello.safeParse(value);
  return hello.success ? { hello: hello.data } : malformed;
}
