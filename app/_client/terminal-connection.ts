import {
  ACK_BYTES,
  type ClientFrame,
  decodeServer,
  encodeClient,
  type ServerFrame,
  type TerminalInfo,
} from '@/server/contract';
import { ProvenSocket, socketUrl } from './proven-socket';
import { onWake } from './wake';

export interface TerminalSink {
  frame(frame: Exclude<ServerFrame, { type: 'info' }>): void;
  info(info: TerminalInfo): void;
  connected(yes: boolean): void;
}

interface Channel {
  sessionId: string;
  sink: TerminalSink;
  epoch: number;
  seq: number | null;
  /** Taken by the screen and not told yet. */
  unacked: number;
  /** What the host has said of it on this line: shown is where keys arrive, gone is where they would be lost. */
  state: 'unsaid' | 'shown' | 'gone';
  /** Typed before it was shown; sent once when it is. */
  waiting: Uint8Array<ArrayBuffer>[];
  /** More was typed than is kept: nothing behind it counts, since an Enter without its text is another word. */
  full: boolean;
}

const RETRY_MS = [100, 250, 500, 1_000, 2_000, 4_000];
const MAX_WAITING = 64;
const PIECE = 128 * 1024;

/** This tab's name for the host, so that a redial is the same viewer and input is never typed twice. */
const tab = Math.random().toString(36).slice(2, 12) || 'tab';

/** The one socket for every terminal of this tab. It redials by itself and goes on where each screen was. */
class TerminalConnection {
  #socket: ProvenSocket | null = null;
  #channels = new Map<number, Channel>();
  /**
   * Counts what was typed per session, not per channel: the host drops what it has seen from this tab, so a terminal
   * that is closed and opened again must count on, or its first keys would be taken for old ones.
   */
  #typed = new Map<string, number>();
  #next = 1;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  #dial(): void {
    if (this.#socket || this.#channels.size === 0) return;
    const socket = new ProvenSocket(socketUrl(`/ws/term?tab=${tab}`));
    this.#socket = socket;
    socket.onopen = () => {
      this.#attempt = 0;
      for (const [number, channel] of this.#channels) {
        this.#subscribe(number, channel);
        channel.sink.connected(true);
      }
    };
    socket.onmessage = (event) => {
      if (!(event.data instanceof ArrayBuffer)) return;
      const frame = decodeServer(new Uint8Array(event.data));
      const channel = frame && this.#channels.get(frame.channel);
      if (!frame || !channel) return;
      if (frame.type === 'info') {
        const news = JSON.parse(new TextDecoder().decode(frame.json)) as TerminalInfo;
        if (news.gone !== undefined) this.#told(channel, news.gone);
        channel.sink.info(news);
        return;
      }
      if (frame.type === 'snap' || frame.type === 'out') {
        channel.epoch = frame.epoch;
        channel.seq = frame.type === 'snap' ? frame.seq : frame.seq + frame.bytes.length;
      }
      channel.sink.frame(frame);
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      for (const channel of this.#channels.values()) {
        channel.state = 'unsaid';
        channel.sink.connected(false);
      }
      const delay = RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)];
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#dial();
      }, delay);
    };
  }

  #told(channel: Channel, gone: boolean): void {
    channel.state = gone ? 'gone' : 'shown';
    // Not kept for what may run there later: an Enter would answer something else.
    const waiting = channel.waiting.splice(0);
    channel.full = false;
    if (!gone) for (const bytes of waiting) this.#socket?.send(bytes);
  }

  #subscribe(number: number, channel: Channel): void {
    this.#send({
      type: 'sub',
      channel: number,
      sessionId: new TextEncoder().encode(channel.sessionId),
      epoch: channel.epoch,
      from: channel.seq,
    });
  }

  #send(frame: ClientFrame): boolean {
    if (this.#socket?.readyState !== 1) return false;
    this.#socket.send(encodeClient(frame) as Uint8Array<ArrayBuffer>);
    return true;
  }

  open(sessionId: string, sink: TerminalSink): TerminalHandle {
    const number = this.#next++;
    const channel: Channel = {
      sessionId,
      sink,
      epoch: 0,
      seq: null,
      unacked: 0,
      state: 'unsaid',
      waiting: [],
      full: false,
    };
    this.#channels.set(number, channel);
    if (this.#socket?.readyState === 1) {
      this.#subscribe(number, channel);
      sink.connected(true);
    } else this.#dial();
    const count = () => {
      const next = (this.#typed.get(sessionId) ?? 0) + 1;
      this.#typed.set(sessionId, next);
      return next;
    };
    /** All of it or nothing: the pieces of a paste, and the Enter behind it, mean nothing by themselves. */
    const typed = (frames: ClientFrame[]) => {
      if (channel.state === 'shown') for (const frame of frames) this.#send(frame);
      else if (channel.state === 'gone') return;
      else if (channel.full || channel.waiting.length + frames.length > MAX_WAITING) channel.full = true;
      else for (const frame of frames) channel.waiting.push(encodeClient(frame) as Uint8Array<ArrayBuffer>);
    };
    const keys = (bytes: Uint8Array): ClientFrame => ({
      type: 'input',
      channel: number,
      inputSeq: count(),
      bytes,
    });
    return {
      input: (bytes) => typed([keys(bytes)]),
      paste: (bytes, then) => {
        const frames: ClientFrame[] = [];
        for (let i = 0; i < Math.max(1, bytes.length); i += PIECE) {
          const last = i + PIECE >= bytes.length;
          const piece = bytes.subarray(i, i + PIECE);
          frames.push({ type: 'paste', channel: number, inputSeq: count(), last, bytes: piece });
        }
        typed(then ? [...frames, keys(then)] : frames);
      },
      size: (cols, rows, claim) => void this.#send({ type: 'size', channel: number, cols, rows, claim }),
      ack: (bytes) => {
        channel.unacked += bytes;
        if (channel.unacked < ACK_BYTES) return;
        if (this.#send({ type: 'ack', channel: number, bytes: channel.unacked })) channel.unacked = 0;
      },
      close: () => {
        this.#send({ type: 'unsub', channel: number });
        this.#channels.delete(number);
      },
    };
  }

  /** After a sleep: a fresh socket at once. */
  wake(): void {
    this.#attempt = 0;
    if (this.#socket) this.#socket.close();
    else this.#dial();
  }
}

export interface TerminalHandle {
  input(bytes: Uint8Array): void;
  /** Pasted as one; `then` are keys right behind it. */
  paste(bytes: Uint8Array, then?: Uint8Array): void;
  size(cols: number, rows: number, claim: boolean): void;
  /** Bytes of a frame that the screen has taken. */
  ack(bytes: number): void;
  close(): void;
}

let connection: TerminalConnection | null = null;
export const terminals = (): TerminalConnection => {
  if (!connection) {
    const made = new TerminalConnection();
    connection = made;
    onWake(() => made.wake());
  }
  return connection;
};
