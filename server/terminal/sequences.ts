/**
 * Reads one control sequence as tmux reads it, which is not only as it is written in books: a control character within
 * is carried out and the sequence goes on, bytes of other alphabets within are passed over, and a device-control string
 * ends at nothing but its terminator. A filter that knows less can be talked past: `ESC [ NEWLINE 6 n` is a query too.
 */
export type Sequence =
  | { kind: 'csi'; prefix: string; params: string; between: string; final: string; controls: Buffer }
  | { kind: 'esc'; between: string; final: string; controls: Buffer }
  | { kind: 'osc'; body: Buffer; ended: 'bell' | 'terminator' }
  /** Device control, APC, PM, SOS, and the title as `screen` has it: none of it is drawn. */
  | { kind: 'string' }
  /** Given up, or meaningless: only its control characters count. */
  | { kind: 'nothing'; controls: Buffer };

export type Opening = 'esc' | 'csi' | 'osc' | 'dcs' | 'string';
export interface Read {
  end: number;
  sequence: Sequence;
}
/** Not complete: what it is, where its content begins, and from where it can be read on without that. */
export interface Unfinished {
  end: null;
  opening: Opening;
  rest: number;
}

const ESC = 0x1b;
const BEL = 0x07;
const BACKSLASH = 0x5c;
const STRINGS: Record<string, Opening> = {
  ']': 'osc',
  P: 'dcs',
  X: 'string',
  '^': 'string',
  _: 'string',
  k: 'string',
};
const gaveUp = (byte: number): boolean => byte === 0x18 || byte === 0x1a;
const nothing = (end: number, controls: number[] = []): Read => ({
  end,
  sequence: { kind: 'nothing', controls: Buffer.from(controls) },
});

/** The sequence whose ESC stands at `at`. */
export function readSequence(data: Buffer, at: number): Read | Unfinished {
  const controls: number[] = [];
  let between = '';
  for (let i = at + 1; i < data.length; i++) {
    const byte = data[i] ?? 0;
    if (byte === ESC) return nothing(i, controls);
    if (gaveUp(byte)) return nothing(i + 1, controls);
    if (byte < 0x20) controls.push(byte);
    else if (byte < 0x30) between += String.fromCharCode(byte);
    else if (byte < 0x7f) {
      const final = String.fromCharCode(byte);
      if (between === '') {
        if (final === '[') return readOn('csi', data, i + 1, controls);
        const opening = STRINGS[final];
        if (opening) return readOn(opening, data, i + 1);
      }
      return { end: i + 1, sequence: { kind: 'esc', between, final, controls: Buffer.from(controls) } };
    }
  }
  return { end: null, opening: 'esc', rest: data.length };
}

/** The rest of a sequence whose beginning was read, or dropped. */
export function readOn(
  opening: Opening,
  data: Buffer,
  from: number,
  controls: number[] = [],
): Read | Unfinished {
  if (opening === 'dcs') return deviceControl(data, from);
  if (opening === 'csi' || opening === 'esc') return controlSequence(data, from, controls);
  for (let i = from; i < data.length; i++) {
    const byte = data[i];
    const done = (end: number, ended: 'bell' | 'terminator'): Read => ({
      end,
      sequence: opening === 'osc' ? { kind: 'osc', body: data.subarray(from, i), ended } : { kind: 'string' },
    });
    if (byte === BEL && opening === 'osc') return done(i + 1, 'bell');
    if (byte === ESC) {
      const next = data[i + 1];
      if (next === undefined) return { end: null, opening, rest: i };
      return next === BACKSLASH ? done(i + 2, 'terminator') : done(i, 'bell');
    }
    if (gaveUp(byte ?? 0)) return nothing(i + 1);
  }
  return { end: null, opening, rest: data.length };
}

function deviceControl(data: Buffer, from: number): Read | Unfinished {
  for (let i = data.indexOf(ESC, from); i >= 0; i = data.indexOf(ESC, i + 2)) {
    const next = data[i + 1];
    if (next === undefined) return { end: null, opening: 'dcs', rest: i };
    if (next === BACKSLASH) return { end: i + 2, sequence: { kind: 'string' } };
  }
  return { end: null, opening: 'dcs', rest: data.length };
}

function controlSequence(data: Buffer, from: number, controls: number[]): Read | Unfinished {
  let prefix = '';
  let params = '';
  let between = '';
  let valid = true;
  for (let i = from; i < data.length; i++) {
    const byte = data[i] ?? 0;
    const letter = String.fromCharCode(byte);
    if (byte === ESC) return nothing(i, controls);
    if (gaveUp(byte)) return nothing(i + 1, controls);
    if (byte < 0x20) controls.push(byte);
    else if (byte < 0x30) between += letter;
    else if (byte < 0x3c) {
      if (between !== '') valid = false;
      params += letter;
    } else if (byte < 0x40) {
      if (prefix + params + between !== '') valid = false;
      prefix += letter;
    } else if (byte < 0x7f) {
      if (!valid) return nothing(i + 1, controls);
      const sequence = { prefix, params, between, final: letter, controls: Buffer.from(controls) };
      return { end: i + 1, sequence: { kind: 'csi', ...sequence } };
    }
  }
  return { end: null, opening: 'csi', rest: data.length };
}
