/**
 * The binary protocol of the terminal socket: one socket per browser, every session a channel on it.
 * All numbers big-endian; `seq` is a byte offset in a pane's output since `epoch` began (u48 as u16 + u32).
 * Text is UTF-8 but this file never decodes it: bytes stay bytes.
 */
export const S2C = { out: 0, snap: 1, frame: 2, info: 3, hist: 4 } as const;
export const C2S = { input: 0, size: 1, ack: 2, sub: 3, unsub: 4, paste: 5, history: 6 } as const;

/** A frame larger than this closes the socket (CLOSE.tooLarge). A paste is cut into several by the browser. */
export const MAX_CLIENT_FRAME = 256 * 1024;
/** Longest piece of live output in one frame. */
export const MAX_OUT = 64 * 1024;
/** Bytes a viewer may hold unacknowledged before the host stops sending, and where it goes on again. */
export const CREDIT_STOP = 512 * 1024;
export const CREDIT_RESUME = 128 * 1024;
/** A viewer says what it has taken once it is this much: far below where the host stops, and not with every key. */
export const ACK_BYTES = 32 * 1024;

/**
 * The bytes in pieces of at most `most`, none of which begins inside a character: xterm.js keeps the beginning of a cut
 * one for the next piece, but forgets it when a byte of that is 0x80. Bytes that are no UTF-8 are cut anywhere.
 */
export function cutText(bytes: Uint8Array, most: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  while (bytes.length - from > most) {
    let to = from + most;
    for (let back = 0; back < 4; back++) {
      if (((bytes[to - back] ?? 0) & 0xc0) === 0x80 || to - back <= from) continue;
      to -= back;
      break;
    }
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  if (from < bytes.length) pieces.push(bytes.subarray(from));
  return pieces;
}

export type ServerFrame =
  | { type: 'out'; channel: number; epoch: number; seq: number; bytes: Uint8Array }
  | {
      type: 'snap';
      channel: number;
      epoch: number;
      seq: number;
      cols: number;
      rows: number;
      bytes: Uint8Array;
    }
  | { type: 'frame'; channel: number; seq: number; bytes: Uint8Array }
  | { type: 'info'; channel: number; json: Uint8Array }
  | { type: 'hist'; channel: number; firstLine: number; bytes: Uint8Array };

export type ClientFrame =
  | { type: 'input'; channel: number; inputSeq: number; bytes: Uint8Array }
  | { type: 'size'; channel: number; cols: number; rows: number; claim: boolean }
  | { type: 'ack'; channel: number; bytes: number }
  | { type: 'sub'; channel: number; sessionId: Uint8Array; epoch: number; from: number | null }
  | { type: 'unsub'; channel: number }
  | { type: 'paste'; channel: number; inputSeq: number; last: boolean; bytes: Uint8Array }
  | { type: 'history'; channel: number; lines: number };

/** What an INFO frame's JSON may say; each field only when it changed. */
export interface TerminalInfo {
  title?: string;
  owner?: 'you' | 'other' | 'none'; // who decides the size
  cols?: number;
  rows?: number;
  flood?: boolean; // output is being skipped
  bell?: boolean;
  clipboard?: string; // the program wants to write this to the clipboard (OSC 52); asks the person first
  error?: string;
  gone?: boolean; // the session has no pane
}

const u48 = (v: DataView, at: number) => v.getUint16(at) * 2 ** 32 + v.getUint32(at + 2);
const put48 = (v: DataView, at: number, n: number) => {
  v.setUint16(at, Math.floor(n / 2 ** 32));
  v.setUint32(at + 2, n % 2 ** 32);
};
const make = (type: number, channel: number, head: number, body: Uint8Array): [Uint8Array, DataView] => {
  const out = new Uint8Array(3 + head + body.length);
  const view = new DataView(out.buffer);
  out[0] = type;
  view.setUint16(1, channel);
  out.set(body, 3 + head);
  return [out, view];
};
const EMPTY = new Uint8Array(0);

export function encodeServer(f: ServerFrame): Uint8Array {
  switch (f.type) {
    case 'out': {
      const [out, v] = make(S2C.out, f.channel, 10, f.bytes);
      v.setUint32(3, f.epoch);
      put48(v, 7, f.seq);
      return out;
    }
    case 'snap': {
      const [out, v] = make(S2C.snap, f.channel, 14, f.bytes);
      v.setUint32(3, f.epoch);
      put48(v, 7, f.seq);
      v.setUint16(13, f.cols);
      v.setUint16(15, f.rows);
      return out;
    }
    case 'frame': {
      const [out, v] = make(S2C.frame, f.channel, 6, f.bytes);
      put48(v, 3, f.seq);
      return out;
    }
    case 'info':
      return make(S2C.info, f.channel, 0, f.json)[0];
    case 'hist': {
      const [out, v] = make(S2C.hist, f.channel, 4, f.bytes);
      v.setUint32(3, f.firstLine);
      return out;
    }
  }
}

/** Null for anything malformed: the caller closes the socket, it never guesses. */
export function decodeServer(data: Uint8Array): ServerFrame | null {
  if (data.length < 3) return null;
  const v = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const channel = v.getUint16(1);
  const need = (n: number) => data.length >= 3 + n;
  switch (data[0]) {
    case S2C.out:
      return need(10)
        ? { type: 'out', channel, epoch: v.getUint32(3), seq: u48(v, 7), bytes: data.subarray(13) }
        : null;
    case S2C.snap:
      return need(14)
        ? {
            type: 'snap',
            channel,
            epoch: v.getUint32(3),
            seq: u48(v, 7),
            cols: v.getUint16(13),
            rows: v.getUint16(15),
            bytes: data.subarray(17),
          }
        : null;
    case S2C.frame:
      return need(6) ? { type: 'frame', channel, seq: u48(v, 3), bytes: data.subarray(9) } : null;
    case S2C.info:
      return { type: 'info', channel, json: data.subarray(3) };
    case S2C.hist:
      return need(4) ? { type: 'hist', channel, firstLine: v.getUint32(3), bytes: data.subarray(7) } : null;
    default:
      return null;
  }
}

export function encodeClient(f: ClientFrame): Uint8Array {
  switch (f.type) {
    case 'input': {
      const [out, v] = make(C2S.input, f.channel, 4, f.bytes);
      v.setUint32(3, f.inputSeq);
      return out;
    }
    case 'paste': {
      const [out, v] = make(C2S.paste, f.channel, 5, f.bytes);
      v.setUint32(3, f.inputSeq);
      v.setUint8(7, f.last ? 1 : 0);
      return out;
    }
    case 'size': {
      const [out, v] = make(C2S.size, f.channel, 5, EMPTY);
      v.setUint16(3, f.cols);
      v.setUint16(5, f.rows);
      v.setUint8(7, f.claim ? 1 : 0);
      return out;
    }
    case 'ack': {
      const [out, v] = make(C2S.ack, f.channel, 4, EMPTY);
      v.setUint32(3, f.bytes);
      return out;
    }
    case 'sub': {
      const [out, v] = make(C2S.sub, f.channel, 11, f.sessionId);
      v.setUint32(3, f.epoch);
      v.setUint8(7, f.from === null ? 0 : 1);
      put48(v, 8, f.from ?? 0);
      return out;
    }
    case 'unsub':
      return make(C2S.unsub, f.channel, 0, EMPTY)[0];
    case 'history': {
      const [out, v] = make(C2S.history, f.channel, 4, EMPTY);
      v.setUint32(3, f.lines);
      return out;
    }
  }
}

export function decodeClient(data: Uint8Array): ClientFrame | null {
  if (data.length < 3 || data.length > MAX_CLIENT_FRAME) return null;
  const v = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const channel = v.getUint16(1);
  const need = (n: number) => data.length >= 3 + n;
  switch (data[0]) {
    case C2S.input:
      return need(4) ? { type: 'input', channel, inputSeq: v.getUint32(3), bytes: data.subarray(7) } : null;
    case C2S.paste:
      return need(5)
        ? {
            type: 'paste',
            channel,
            inputSeq: v.getUint32(3),
            last: v.getUint8(7) === 1,
            bytes: data.subarray(8),
          }
        : null;
    case C2S.size:
      return need(5)
        ? { type: 'size', channel, cols: v.getUint16(3), rows: v.getUint16(5), claim: v.getUint8(7) === 1 }
        : null;
    case C2S.ack:
      return need(4) ? { type: 'ack', channel, bytes: v.getUint32(3) } : null;
    case C2S.sub:
      return need(11)
        ? {
            type: 'sub',
            channel,
            epoch: v.getUint32(3),
            from: v.getUint8(7) === 1 ? u48(v, 8) : null,
            sessionId: data.subarray(14),
          }
        : null;
    case C2S.unsub:
      return { type: 'unsub', channel };
    case C2S.history:
      return need(4) ? { type: 'history', channel, lines: v.getUint32(3) } : null;
    default:
      return null;
  }
}
