import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerFrame } from '@/server/contract';
import { newTerminal } from '../../../server/terminal/testing';
import { type Shown, showFrame } from './show-frame';

type Drawn = Exclude<ServerFrame, { type: 'info' }>;
const snap = (text: string, cols = 40, rows = 10): Drawn => ({
  ...{ type: 'snap', channel: 1, epoch: 1, seq: 0, cols, rows },
  bytes: Buffer.from(text),
});
const out = (text: string): Drawn => ({
  type: 'out',
  channel: 1,
  epoch: 1,
  seq: 0,
  bytes: Buffer.from(text),
});
const lines = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name} ${i} ${'x'.repeat(30)}\r\n`).join('');

type Show = (term: Shown & { reset(): void }, frame: Drawn, done: () => void) => void;
const ours: Show = (term, frame, done) => showFrame(term, frame, { done });
/** What the terminal holds after all of these were given to it at once, as they come from a socket. */
async function shown(frames: Drawn[], show: Show = ours) {
  const term = newTerminal();
  await Promise.all(frames.map((frame) => new Promise<void>((done) => show(term, frame, done))));
  const { active } = term.buffer;
  const rows = Array.from(
    { length: active.length },
    (_, y) => active.getLine(y)?.translateToString(true) ?? '',
  );
  const seen = { cols: term.cols, rows: term.rows, x: active.cursorX, y: active.cursorY, text: rows };
  term.dispose();
  return seen;
}

describe('a snapshot behind output that is not drawn yet', () => {
  const late = [snap(`one\r\n${lines('new', 30)}`, 33, 7), out('more'), out('\r\nlast')];

  it('pitfall 5: replaces all of it, in the new size', async () => {
    const fresh = await shown(late);
    expect(fresh).toMatchObject({ cols: 33, rows: 7 });
    expect(fresh.text.filter((row) => row.startsWith('new'))).toHaveLength(30);
    const busy = [
      snap('first'),
      out(lines('old', 5_000)),
      out('\x1b[?1049h\x1b[3;5r\x1b[?6h\x1b[31m'),
      out('\x1b['),
    ];
    expect(await shown([...busy, ...late])).toEqual(fresh);
  });

  it('the control: a reset and a resize called directly leave the old behind the new', async () => {
    const direct: Show = (term, frame, done) => {
      if (frame.type === 'snap') {
        term.reset();
        term.resize(frame.cols, frame.rows);
      }
      term.write(frame.bytes, done);
    };
    const seen = await shown([out(lines('old', 50)), ...late], direct);
    expect(seen.text.some((row) => row.startsWith('old'))).toBe(true);
  });

  it('pitfall 5: holds for any order of frames', async () => {
    const frame = fc.oneof(
      fc
        .record({ cols: fc.integer({ min: 5, max: 90 }), rows: fc.integer({ min: 2, max: 30 }) })
        .map(({ cols, rows }) => snap(lines(`s${cols}`, 12), cols, rows)),
      fc.constantFrom(lines('old', 40), '\x1b[2J', '\x1b[?1049h', 'text', '\x1b[5;9r', '漢字').map(out),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 8 }), async (before) => {
        expect(await shown([...before, ...late])).toEqual(await shown(late));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a long frame', () => {
  /** Characters with a byte 0x80 within: xterm.js forgets that byte when it cuts there. */
  const text = '🀀倀é'.repeat(40_000);
  const letters = (rows: string[]) => rows.join('').replaceAll(' ', '');

  it('pitfall 7: is drawn with no character cut', async () => {
    for (const first of ['', 'x', 'xx', 'xxx']) {
      const { text: rows } = await shown([snap(first + text, 1_000, 200)]);
      expect(letters(rows) === first + text).toBe(true);
    }
  });

  it('the control: given in one piece it loses some', async () => {
    const whole: Show = (term, frame, done) => term.write(frame.bytes, done);
    const seen = await Promise.all(['', 'x', 'xx', 'xxx'].map((first) => shown([snap(first + text)], whole)));
    expect(seen.every(({ text: rows }, i) => letters(rows) === 'x'.repeat(i) + text)).toBe(false);
  });

  it('of what is no text at all comes to an end too', async () => {
    await shown([{ ...out(''), bytes: Buffer.alloc(300_000, 0x80) }]);
  });
});
