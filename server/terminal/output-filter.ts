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

  push(chunk: Buffer): Filtered {
    const clipboard: string[] = [];
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = Buffer.alloc(0);
    const parts: Buffer[] = [];
    let bell = false;
    let from = 0;
    for (let at = data.indexOf(ESC); at >= 0; at = data.indexOf(ESC, from)) {
      if (data.subarray(from, at).indexOf(BEL) >= 0) bell = true;
      parts.push(data.subarray(from, at));
      const end = sequenceEnd(data, at);
      if (end < 0) {
        // Longer than any honest sequence: drop it instead of holding for ever.
        if (data.length - at <= MAX_HELD) this.#held = Buffer.from(data.subarray(at));
        return { bytes: Buffer.concat(parts), clipboard, bell };
      }
      const sequence = data.subarray(at, end);
      const kept = judge(sequence, clipboard);
      if (kept) parts.push(kept);
      from = end;
    }
    const tail = data.subarray(from);
    if (tail.indexOf(BEL) >= 0) bell = true;
    const whole = wholeCharacters(tail);
    // Half a character is held too: a snapshot taken here must not be followed by its second half.
    this.#held = Buffer.from(tail.subarray(whole));
    parts.push(tail.subarray(0, whole));
    return { bytes: Buffer.concat(parts), clipboard, bell };
  }
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

/** Where the sequence that begins at `at` ends; -1 when it is not complete. */
function sequenceEnd(data: Buffer, at: number): number {
  const kind = data[at + 1];
  if (kind === undefined) return -1;
  if (kind === 0x5b) {
    for (let i = at + 2; i < data.length; i++) {
      const byte = data[i] ?? 0;
      if (byte >= 0x40 && byte <= 0x7e) return i + 1;
      if (byte < 0x20 || byte > 0x3f) return i; // malformed: let what follows be judged by itself
    }
    return -1;
  }
  // OSC, DCS, SOS, PM, APC: up to BEL (OSC only) or ESC \
  if (kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) {
    for (let i = at + 2; i < data.length; i++) {
      const byte = data[i];
      if (byte === BEL && kind === 0x5d) return i + 1;
      if (byte === ESC) {
        const next = data[i + 1];
        if (next === undefined) return -1;
        if (next === 0x5c) return i + 2;
        // tmux's passthrough doubles each escape of what it carries.
        if (next === ESC && kind === 0x50) {
          i++;
          continue;
        }
        return i; // cut off by another sequence
      }
      if (byte === 0x18 || byte === 0x1a) return i + 1;
    }
    return -1;
  }
  if (kind >= 0x20 && kind <= 0x2f) return data.length > at + 2 ? at + 3 : -1;
  return at + 2;
}

function judge(sequence: Buffer, clipboard: string[]): Buffer | null {
  const kind = sequence[1];
  if (kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) return null;
  if (kind === 0x5a) return null; // DECID
  const text = sequence.toString('latin1');
  if (kind === 0x5b) {
    const body = text.slice(2);
    if (/c$/.test(body)) return null; // DA1, DA2, DA3
    if (/^[?]?[0-9;]*n$/.test(body)) return null; // DSR, CPR
    if (/\$p$/.test(body)) return null; // DECRQM
    if (/^\?u$/.test(body)) return null; // kitty keyboard query
    if (/^>[0-9]*q$/.test(body)) return null; // XTVERSION
    if (/t$/.test(body) && /^(1[1-9]|2[01])t/.test(body)) return null; // window reports
    return sequence;
  }
  if (kind === 0x5d) {
    const body = text.slice(2).replace(/(\x07|\x1b\\)$/, '');
    if (body.startsWith('52;')) {
      const data = body.slice(body.indexOf(';', 3) + 1);
      if (data !== '?' && data.length <= MAX_CLIPBOARD) {
        const value = Buffer.from(data, 'base64').toString('utf8');
        if (value) clipboard.push(value);
      }
      return null;
    }
    if (/^(4|5|1[0-9]|21);.*\?/.test(body)) return null; // colour queries
    if (/^(1337|9001|133[0-9])/.test(body)) return null;
  }
  return sequence;
}
