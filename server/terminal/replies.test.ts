import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../tmux/testing';
import { OutputFilter } from './output-filter';
import { makeTerminalBed, newTerminal, type TerminalBed } from './testing';

let bed: TerminalBed;
beforeEach(async () => {
  bed = await makeTerminalBed();
});
afterEach(() => bed.end());

/** Everything that xterm.js answers by itself, in each way that it can be written. */
const QUERIES: [string, string, RegExp][] = [
  ['primary attributes', '\x1b[c', /\x1b\[\?[\d;]*c/g],
  ['primary attributes, with a zero', '\x1b[0c', /\x1b\[\?[\d;]*c/g],
  ['secondary attributes', '\x1b[>c', /\x1b\[>[\d;]*c/g],
  ['status', '\x1b[5n', /\x1b\[0n/g],
  ['cursor position', '\x1b[6n', /\x1b\[\d+;\d+R/g],
  ['cursor position, extended', '\x1b[?6n', /\x1b\[\?\d+;\d+R/g],
  ['a mode', '\x1b[?2026$p', /\x1b\[\?2026;\d\$y/g],
  ['an ANSI mode', '\x1b[4$p', /\x1b\[4;\d\$y/g],
  ['a setting', '\x1bP$qm\x1b\\', /\x1bP[01]\$r[^\x1b]*\x1b\\/g],
  ['the foreground', '\x1b]10;?\x07', /\x1b\]10;rgb[^\x07\x1b]*(\x07|\x1b\\)/g],
  ['the background', '\x1b]11;?\x1b\\', /\x1b\]11;rgb[^\x07\x1b]*(\x07|\x1b\\)/g],
  ['the cursor colour', '\x1b]12;?\x07', /\x1b\]12;rgb[^\x07\x1b]*(\x07|\x1b\\)/g],
  ['a palette colour', '\x1b]4;1;?\x07', /\x1b\]4;1;rgb[^\x07\x1b]*(\x07|\x1b\\)/g],
  ['primary attributes, as C1', '\u009bc', /\x1b\[\?[\d;]*c/g],
  ['cursor position, as C1', '\u009b6n', /\x1b\[\d+;\d+R/g],
  ['a setting, as C1', '\u0090$qm\u009c', /\x1bP[01]\$r[^\x1b]*\x1b\\/g],
  ['the clipboard', '\x1b]52;c;?\x07', /\x1b\]52/g],
];

describe('a program that asks its terminal', () => {
  it('pitfall 4: gets one reply or none, with two viewers that were there before and one that comes later', async () => {
    const stage = await bed.stage('asking');
    const viewers = [await bed.view('asking'), await bed.view('asking')];
    stage.print('ready');
    for (const viewer of viewers) await viewer.shows('ready');
    const replies: string[] = [];
    for (const [name, query, reply] of QUERIES) {
      const before = stage.typed().length;
      // What comes behind it is drawn when the query was read; the viewers type a mark of their own behind their answer.
      stage.print(`${query}${name} done`);
      for (const viewer of viewers) await viewer.shows(`${name} done`);
      viewers.push(await bed.view('asking'));
      await viewers[2]!.shows(`${name} done`);
      for (const viewer of viewers) viewer.type('!');
      await until(() => stage.typed().slice(before).split('!').length === 4);
      viewers.pop()?.close();
      const said = stage.typed().slice(before).replaceAll('!', '');
      replies.push(`${name}: ${said.match(reply)?.length ?? 0}`);
      expect(said.replace(reply, ''), name).toBe('');
      stage.print('\x1b[2J\x1b[H');
    }
    expect(replies.filter((line) => !/: [01]$/.test(line))).toEqual([]);
    // tmux answers these itself.
    expect(replies).toContain('primary attributes: 1');
    expect(replies).toContain('cursor position: 1');
    expect(replies).toContain('status: 1');
  });

  it('pitfall 4: whatever it prints, no viewer says a word', async () => {
    const part = fc.oneof(
      fc.constantFrom(...'[]P\\?>=;:0156$cnpqutZ\x1b\x1b\x1b\x07\n\x18\x7f\u0090\u009b\u009c\u009dé'),
      fc.constantFrom('\x1b[', '\x1b]', '\x1bP', '6n', '11;?', '$qm', '?2026$p', '\x1b\\'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), fc.nat({ max: 40 }), async (parts, at) => {
        const bytes = Buffer.from(`${parts.join('')}\x1b\\\x18\x1b[0m`);
        const filter = new OutputFilter();
        const term = newTerminal();
        let said = '';
        term.onData((data) => {
          said += data;
        });
        for (const piece of [bytes.subarray(0, at), bytes.subarray(at)]) {
          await new Promise<void>((done) => term.write(filter.push(piece).bytes, done));
        }
        term.dispose();
        expect(said).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('the control: each viewer would answer by itself', async () => {
    const stage = await bed.stage('asking');
    const viewer = await bed.view('asking');
    stage.print('ready');
    await viewer.shows('ready');
    for (const query of ['\x1b[c', '\u009b6n']) {
      const before = stage.typed().length;
      viewer.term.write(query);
      await until(() => stage.typed().length > before);
    }
  });
});
