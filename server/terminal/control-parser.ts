/**
 * Reads the control-mode stream of tmux as bytes. Output is never made into strings: a chunk may end inside a
 * character or an escape sequence, and what an application wrote must reach the browser byte for byte.
 */
export interface ControlHandler {
  output(pane: string, bytes: Buffer): void;
  reply(ok: boolean, lines: Buffer[]): void;
  /** A reply began: everything `output` told so far happened before it. */
  begin(): void;
  exit(): void;
}

const NEWLINE = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OUTPUT = Buffer.from('%output ');
const EXTENDED = Buffer.from('%extended-output ');

/** tmux writes bytes below space and the backslash as three octal digits. */
export function unescapeOctal(data: Buffer): Buffer {
  let at = data.indexOf(BACKSLASH);
  if (at < 0) return data;
  const out = Buffer.allocUnsafe(data.length);
  let used = 0;
  let from = 0;
  while (at >= 0) {
    used += data.copy(out, used, from, at);
    const a = data[at + 1] ?? 0;
    const b = data[at + 2] ?? 0;
    const c = data[at + 3] ?? 0;
    out[used++] = ((a & 7) << 6) | ((b & 7) << 3) | (c & 7);
    from = at + 4;
    at = data.indexOf(BACKSLASH, from);
  }
  used += data.copy(out, used, from);
  return out.subarray(0, used);
}

export class ControlParser {
  #rest: Buffer = Buffer.alloc(0);
  #lines: Buffer[] | null = null;
  #end: Buffer = Buffer.alloc(0);
  #error: Buffer = Buffer.alloc(0);

  constructor(private readonly handler: ControlHandler) {}

  push(chunk: Buffer): void {
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE)) {
      const stop = end > 0 && data[end - 1] === CR ? end - 1 : end;
      this.#line(data.subarray(0, stop));
      data = data.subarray(end + 1);
    }
    this.#rest = data;
  }

  #line(raw: Buffer): void {
    // The stream of `-CC` opens with ESC P 1000 p on its first line.
    const line = raw[0] === 0x1b && raw[1] === 0x50 ? raw.subarray(raw.indexOf(0x70) + 1) : raw;
    if (this.#lines) {
      // Only the guard that opened it ends a reply: a captured screen may hold the words "%end" too.
      const ok = line.equals(this.#end);
      if (ok || line.equals(this.#error)) {
        const lines = this.#lines;
        this.#lines = null;
        this.handler.reply(ok, lines);
        return;
      }
      this.#lines.push(Buffer.from(line));
      return;
    }
    if (line[0] !== 0x25) return;
    if (line.subarray(0, OUTPUT.length).equals(OUTPUT)) {
      const space = line.indexOf(SPACE, OUTPUT.length);
      if (space > 0) {
        this.handler.output(
          line.subarray(OUTPUT.length, space).toString('latin1'),
          unescapeOctal(line.subarray(space + 1)),
        );
      }
    } else if (line.subarray(0, EXTENDED.length).equals(EXTENDED)) {
      const space = line.indexOf(SPACE, EXTENDED.length);
      const colon = line.indexOf(' : ', space);
      if (space > 0 && colon > 0) {
        this.handler.output(
          line.subarray(EXTENDED.length, space).toString('latin1'),
          unescapeOctal(line.subarray(colon + 3)),
        );
      }
    } else {
      const word = line.toString('latin1');
      if (word.startsWith('%begin ')) {
        const guard = word.slice('%begin '.length);
        this.#end = Buffer.from(`%end ${guard}`, 'latin1');
        this.#error = Buffer.from(`%error ${guard}`, 'latin1');
        this.#lines = [];
        this.handler.begin();
      } else if (word.startsWith('%exit')) this.handler.exit();
    }
  }
}
