import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanInput } from './clean-input';
import { ControlParser, unescapeOctal } from './control-parser';
import { Modes } from './modes';
import { OutputFilter } from './output-filter';

/** What a parser tells of a stream given in pieces. */
function parse(pieces: Buffer[]): string[] {
  const told: string[] = [];
  const parser = new ControlParser({
    output: (pane, bytes) => told.push(`${pane} ${bytes.toString('latin1')}`),
    begin: () => told.push('begin'),
    reply: (ok, lines) => told.push(`${ok ? 'ok' : 'no'} ${lines.map(String).join('|')}`),
    exit: () => told.push('exit'),
  });
  for (const piece of pieces) parser.push(piece);
  return told;
}
const cut = (data: Buffer, places: number[]): Buffer[] => {
  const at = [...new Set(places.map((p) => p % (data.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => data.subarray(from, at[i] ?? data.length));
};

describe('the control stream', () => {
  const stream = Buffer.from(
    [
      '\x1bP1000p%begin 1 1 0\r',
      '%end 1 1 0\r',
      '%output %1 hi\\015\\012\\134\\303\\251',
      '%begin 2 2 1',
      '%output is not output inside a reply',
      '%end 1 1 0',
      '%error 2 9 1',
      'line',
      '%end 2 2 1',
      '%extended-output %2 0 : x\\033[1m',
      '%begin 3 3 1',
      "can't find pane",
      '%error 3 3 1',
      '%exit',
      '',
    ].join('\n'),
    'latin1',
  );
  const whole = parse([stream]);

  it('is read as tmux means it', () => {
    expect(whole).toEqual([
      'begin',
      'ok ',
      '%1 hi\r\n\\\xc3\xa9',
      'begin',
      'ok %output is not output inside a reply|%end 1 1 0|%error 2 9 1|line',
      '%2 x\x1b[1m',
      'begin',
      "no can't find pane",
      'exit',
    ]);
  });

  it('pitfall 7: says the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        expect(parse(cut(stream, places))).toEqual(whole);
      }),
    );
  });

  it('gives back every byte', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const escaped = [...bytes]
          .map((b) => (b < 32 || b === 92 ? `\\${b.toString(8).padStart(3, '0')}` : String.fromCharCode(b)))
          .join('');
        expect([...unescapeOctal(Buffer.from(escaped, 'latin1'))]).toEqual([...bytes]);
      }),
    );
  });
});

const filtered = (pieces: Buffer[]) => {
  const filter = new OutputFilter();
  const all = pieces.map((piece) => filter.push(piece));
  return {
    text: Buffer.concat(all.map((f) => f.bytes)).toString('utf8'),
    clipboard: all.flatMap((f) => f.clipboard),
    bell: all.some((f) => f.bell),
  };
};

describe('what of the output reaches a browser', () => {
  it.each([
    ['\x1b[c', 'primary attributes'],
    ['\x1b[>c', 'secondary attributes'],
    ['\x1b[6n', 'cursor position'],
    ['\x1b[?2026$p', 'mode report'],
    ['\x1b[?u', 'kitty keyboard query'],
    ['\x1b[>0q', 'version query'],
    ['\x1b]11;?\x07', 'background query'],
    ['\x1b]10;?\x1b\\', 'foreground query'],
    ['\x1b]52;c;?\x07', 'clipboard read'],
    ['\x1bP$qm\x1b\\', 'setting query'],
    ['\x1bPq#0;2;0;0;0#0~~\x1b\\', 'sixel image'],
    ['\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\', 'passthrough'],
    ['\x1b[21t', 'title report'],
    ['\x1b_Gf=24;AAAA\x1b\\', 'kitty image'],
    ['\x1bktitle\x1b\\', 'title as screen has it'],
    ['\x1bPq\x1b[6n\x1b\\', 'query within a device control'],
    ['\x1b[6:1n', 'query with parts'],
    ['\x1b]010;?\x07', 'query with a zero before it'],
    ['\x1b[\x7f6n', 'query with a byte that is passed over'],
    ['\x1b[\u00e96n', 'query with a letter that is passed over'],
    ['\x1b[6\x18', 'sequence given up'],
  ])('pitfall 4, 16: %j (%s) is dropped', (sequence) => {
    expect(filtered([Buffer.from(`a${sequence}b`)]).text.replace(/hi/, '')).toBe('ab');
  });

  it.each([
    '\x1b[31m',
    '\x1b[?2004h',
    '\x1b[2 q',
    '\x1b]0;title\x07',
    '\x1b]8;;https://x.test\x1b\\',
    '\x1b(B',
    '\x1b7',
  ])('%j is kept', (sequence) => {
    expect(filtered([Buffer.from(`a${sequence}b`)]).text).toBe(`a${sequence}b`);
  });

  it.each([
    ['\x1b[\n3\r1m', '\n\r\x1b[31m'],
    ['\x1b\t[1m', '\t\x1b[1m'],
    ['\x1b]0;a\nb\u009b6n\x07', '\x1b]0;ab6n\x07'],
    ['\u009b6n', '6n'],
  ])('%j becomes %j: what tmux makes of it, and nothing within', (sequence, kept) => {
    expect(filtered([Buffer.from(`a${sequence}b`)]).text).toBe(`a${kept}b`);
  });

  it('pitfall 7: a sequence too long to be held is dropped up to its end, however it is cut', () => {
    for (const [from, to] of [
      ['\x1bPq', '\x1b\\'],
      ['\x1b]1337;File=:', '\x07'],
      ['\x1b]52;c;', '\x1b\\'],
      ['\x1b_G', '\x1b\\'],
      ['\x1b[', 'm'],
    ]) {
      const whole = Buffer.from(`a${from}${'1234'.repeat(100_000)}${to}b`);
      for (const piece of [1_000_000, 65_536, 4_095]) {
        const places = Array.from({ length: Math.floor(whole.length / piece) }, (_, i) => (i + 1) * piece);
        expect(filtered(cut(whole, [...places, whole.length - 2, whole.length - 3])).text).toBe('ab');
      }
    }
  });

  it('turns a clipboard write into a question', () => {
    const text = Buffer.from('copied ✓').toString('base64');
    const seen = filtered([Buffer.from(`x\x1b]52;c;${text}\x07y`)]);
    expect(seen.clipboard).toEqual(['copied ✓']);
    expect(seen.text).toBe('xy');
    expect(filtered([Buffer.from(`\x1b]52;c;${'A'.repeat(200_000)}\x07`)]).clipboard).toEqual([]);
  });

  it('pitfall 7: does the same however the bytes are cut, and never splits a character', () => {
    const sample = Buffer.from(
      `é👩‍💻\x1bk\u009bt\x1b\\\x1b[\n1mx\x1bPa\x1b\x1b\\b\x1b\\\x1b[31mred\x1b[0m\x1b]52;c;${Buffer.from('hi').toString('base64')}\x07\x1b[6n漢字\x1b]0;t\x07\x1b[?u end\n`,
    );
    const whole = filtered([sample]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 14 }), (places) => {
        expect(filtered(cut(sample, places))).toEqual(whole);
        const filter = new OutputFilter();
        for (const piece of cut(sample, places)) {
          const { bytes } = filter.push(piece);
          expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toBeTypeOf('string');
        }
      }),
    );
  });

  it('never throws and never passes a query on, whatever comes', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        'P',
        '\\',
        '\x07',
        '?',
        ';',
        '5',
        '2',
        'c',
        'n',
        'u',
        '$',
        'p',
        'q',
        'x',
        '\x9b',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const { text } = filtered(parts.map((p) => Buffer.from(p)));
        expect(text).not.toMatch(/\x1b\[[?>=]?[0-9;]*[cn]/);
        expect(text).not.toMatch(/\x1b\]52;/);
        expect(text).not.toMatch(/\x1bP/);
      }),
    );
  });
});

describe('modes a snapshot cannot be asked for', () => {
  it('pitfall 10: are followed, saved and restored', () => {
    const modes = new Modes();
    expect(modes.push(Buffer.from('\x1b[?2004h\x1b[?1004;25h\x1b[5 q'))).toBe(true);
    expect(modes.push(Buffer.from('plain'))).toBe(false);
    const later = new Modes();
    later.load(modes.save());
    expect(later.restore()).toBe('\x1b[?2004h\x1b[?1004h\x1b[5 q');
    later.push(Buffer.from('\x1b[?2004l\x1bc'));
    expect(later.restore()).toBe('');
    later.load('no such text');
    expect(later.restore()).toBe('');
  });
});

describe('pasted bytes', () => {
  it('keep text, tabs and lines, and lose every control', () => {
    const clean = (text: string) => cleanInput(Buffer.from(text)).toString();
    expect(clean('a\tb\r\nc\rd\né漢👩‍💻')).toBe('a\tb\nc\nd\né漢👩‍💻');
    expect(clean('x\x1b[201~\x03y\x7f\u0085z\u009b31m')).toBe('x[201~yz31m');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(clean(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
