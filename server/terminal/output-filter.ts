import { type Opening, readOn, readSequence, type Sequence } from './sequences';

/**
 * What of an application's output may reach a browser (S-44). Queries are dropped, since tmux has answered them
 * already and every viewer would answer again (measured: three replies with two viewers); clipboard writes become a
 * question to the person; device-control strings (sixel, DECRQSS, passthrough) never get through. Works over chunk
 * edges: an unfinished sequence is held until its end comes.
 */
const ESC = 0x1b;
const BEL = 0x07;
const MAX_HELD = 256 * 1024;
const MAX_CLIPBOARD = 100 * 1024;

export interface Filtered {
  bytes: Buffer;
  clipboard: string[];
  bell: boolean;
}

export class OutputFilter {
  #held: Buffer = Buffer.alloc(0);
  /** In a sequence too long to be held: nothing of it is shown, up to its end. */
  #dropping: Opening | null = null;

  /** Output was missed up to here; `pending` is the beginning of a sequence that goes on with what is pushed next. */
  resume(pending: Buffer): void {
    // Half a character is no sequence and tmux does not tell it; what was held of one may still be right.
    if (pending.length > 0 || this.#held[0] === ESC || this.#dropping) this.#held = pending;
    this.#dropping = null;
  }

  push(chunk: Buffer): Filtered {
    const out: { parts: Buffer[]; clipboard: string[]; bell: boolean } = {
      parts: [],
      clipboard: [],
      bell: false,
    };
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = Buffer.alloc(0);
    let from = 0;
    if (this.#dropping) {
      const read = readOn(this.#dropping, data, 0);
      if (read.end === null) {
        this.#held = Buffer.from(data.subarray(read.rest));
        return result(out);
      }
      this.#dropping = null;
      from = read.end;
    }
    const put = (bytes: Buffer) => {
      if (bytes.includes(BEL)) out.bell = true;
      out.parts.push(withoutC1(bytes));
    };
    for (let at = data.indexOf(ESC, from); at >= 0; at = data.indexOf(ESC, from)) {
      put(data.subarray(from, at));
      const read = readSequence(data, at);
      if (read.end === null) {
        const tooLong = data.length - at > MAX_HELD;
        if (tooLong) this.#dropping = read.opening;
        this.#held = Buffer.from(data.subarray(tooLong ? read.rest : at));
        return result(out);
      }
      const { sequence } = read;
      if ('controls' in sequence) put(sequence.controls);
      const kept = judge(sequence, out.clipboard);
      if (kept) out.parts.push(kept);
      from = read.end;
    }
    const tail = data.subarray(from);
    const whole = wholeCharacters(tail);
    // Half a character is held too: a snapshot taken here must not be followed by its second half.
    this.#held = Buffer.from(tail.subarray(whole));
    put(tail.subarray(0, whole));
    return result(out);
  }
}

const result = (out: { parts: Buffer[]; clipboard: string[]; bell: boolean }): Filtered => ({
  bytes: Buffer.concat(out.parts),
  clipboard: out.clipboard,
  bell: out.bell,
});

/**
 * Without the controls U+0080 … U+009F. tmux takes them for text of no width; a browser's terminal would carry them out,
 * and U+009B opens a sequence as `ESC [` does.
 */
export function withoutC1(bytes: Buffer): Buffer {
  let at = bytes.indexOf(0xc2);
  if (at < 0) return bytes;
  const parts: Buffer[] = [];
  let from = 0;
  for (; at >= 0; at = bytes.indexOf(0xc2, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next < 0x80 || next > 0x9f) continue;
    parts.push(bytes.subarray(from, at));
    from = at + 2;
  }
  return from === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

/** How much of it is complete UTF-8; at most three bytes are left over. */
function wholeCharacters(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length); back++) {
    const byte = data[data.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? data.length - back : data.length;
  }
  return data.length;
}

/** What is left of a sequence for a browser: written anew, so that nothing is hidden within. */
function judge(sequence: Sequence, clipboard: string[]): Buffer | null {
  switch (sequence.kind) {
    case 'nothing':
    case 'string':
      return null;
    case 'esc':
      if (sequence.between === '' && sequence.final === 'Z') return null; // DECID
      return Buffer.from(`\x1b${sequence.between}${sequence.final}`, 'latin1');
    case 'csi': {
      const { prefix, params, between, final } = sequence;
      if (final === 'c') return null; // DA1, DA2, DA3
      if (final === 'n' && (prefix === '' || prefix === '?')) return null; // DSR, CPR
      if (final === 'p' && between === '$') return null; // DECRQM
      if (final === 'u' && prefix === '?') return null; // kitty keyboard query
      if (final === 'q' && prefix === '>') return null; // XTVERSION
      if (final === 't') return null; // window reports and window moves
      return Buffer.from(`\x1b[${prefix}${params}${between}${final}`, 'latin1');
    }
    case 'osc':
      return judgeCommand(sequence.body, sequence.ended, clipboard);
  }
}

function judgeCommand(raw: Buffer, ended: 'bell' | 'terminator', clipboard: string[]): Buffer | null {
  const body = withoutC1(raw.some((byte) => byte < 0x20) ? Buffer.from(raw.filter((b) => b >= 0x20)) : raw);
  const text = body.toString('latin1');
  const number = Number(/^\d+/.exec(text)?.[0] ?? Number.NaN);
  if (number === 52) {
    const data = text.split(';').slice(2).join(';');
    if (data !== '?' && data.length <= MAX_CLIPBOARD) {
      const value = Buffer.from(data, 'base64').toString('utf8');
      if (value) clipboard.push(value);
    }
    return null;
  }
  // Questions about colours.
  if ((number === 4 || number === 5 || (number >= 10 && number <= 21)) && text.includes('?')) return null;
  if ((number >= 1330 && number <= 1339) || number === 9001) return null;
  return Buffer.concat([
    Buffer.from('\x1b]'),
    body,
    Buffer.from(ended === 'bell' ? '\x07' : '\x1b\\', 'latin1'),
  ]);
}
