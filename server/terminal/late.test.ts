import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TMUX, until } from '../tmux/testing';
import { makeTerminalBed, newTerminal, type TerminalBed, TestViewer } from './testing';

let bed: TerminalBed;
beforeEach(async () => {
  bed = await makeTerminalBed();
});
afterEach(() => bed.end());

const tells34 = !/tmux 3\.[0-3]/.test(execFileSync(TMUX, ['-V']).toString());
const lines = (count: number, of = 'line') =>
  Array.from({ length: count }, (_, i) => `${of} ${i}\r\n`).join('');

/** What it is, what is printed before the late one comes, what after it. */
const SCENES: [string, string, string?][] = [
  ['colours over several rows', '\x1b[31mred\r\nstill red\r\n\x1b[1;44mblue\r\n\x1b[0mplain'],
  ['colours that begin in the history', `\x1b[32m${lines(60)}\x1b[0mplain`],
  ['every attribute', [1, 2, 3, 4, 5, 7, 8, 9, 53].map((n) => `\x1b[${n}mx${n}\x1b[0m`).join('\r\n')],
  [
    'underlines and their colour',
    '\x1b[4:3mcurly\x1b[58;5;196m red\r\n\x1b[4:2mdouble\x1b[0m\x1b[21mtwo\x1b[0m',
  ],
  [
    'palette and true colour',
    '\x1b[38;5;208mo\x1b[48;2;10;20;30mt\r\n\x1b[38:2::1:2:3mc\x1b[97;100mbright\x1b[0m',
  ],
  ['the pen', 'a\x1b[1;31;48;5;17m', 'bold red\x1b[22mred\x1b[39mblue'],
  ['a pen of true colour', 'a\x1b[38;2;1;2;3;4m', 'b\x1b[24mc'],
  ['a pen that was reset', 'a\x1b[1;31mb\x1b[m', 'plain'],
  ['line drawing in the grid', '\x1b(0lqqk\x1b(B text\r\n\x1b)0\x0eqqq\x0f text'],
  ['line drawing that goes on', '\x1b(0lqq', 'qqk\x1b(B text'],
  ['line drawing shifted in', '\x1b)0\x0elqq', 'qqk\x0f text'],
  ['line drawing to be shifted in', '\x1b)0text', '\x0eqqq\x0ftext'],
  ['a scroll region', `${lines(30)}\x1b[5;10r\x1b[10;1H`, lines(4, 'in the region')],
  ['origin mode', `${lines(30)}\x1b[5;10r\x1b[?6h\x1b[2;3H`, 'here'],
  ['insert mode', 'abc\x1b[4h\x1b[1;1H', 'x'],
  ['a cursor that waits at the edge', 'e'.repeat(80), 'next'],
  ['tab stops', '\x1b[3g\x1b[1;5H\x1bH\x1b[1;21H\x1bH\r', '\tx\ty'],
  ['keypad and cursor keys', '\x1b=\x1b[?1h'],
  ['mouse', '\x1b[?1002h\x1b[?1006h'],
  ['bracketed paste and focus', '\x1b[?2004h\x1b[?1004h'],
  ['a hidden cursor', 'text\x1b[?25l'],
  [
    'an alternate screen over the history',
    `${lines(40)}shell$ vim\x1b[?1049h\x1b[2J\x1b[H~\r\n~\x1b[3;4H`,
    '\x1b[?1049l',
  ],
  ['an alternate screen over a few lines', '\x1b[31mone\r\ntwo\x1b[?1049h\x1b[Hin it', '\x1b[?1049lback'],
  ['an alternate screen over colours', `\x1b[44m${lines(5)}\x1b[0m\x1b[?1049h\x1b[Hx`, '\x1b[?1049l'],
  ['wide and combined', '漢字 e\u0301 한국\r\n✓'],
  ['trailing blanks of a colour', '\x1b[44m   \x1b[0m\r\n\x1b[7m  x  \x1b[0m'],
];

/** Here the cursor may stand elsewhere until something is written. */
const LATER: [string, string, string][] = [
  ['no wrapping', `\x1b[?7l${'w'.repeat(90)}`, 'x'],
  ['an alternate screen as it was switched to before', `${lines(3)}\x1b[?47hx`, '\x1b[?47ly'],
];

const MORE = '\x1b[?6999l';
async function attach(before: string, after?: string) {
  const stage = await bed.stage('scene');
  const live = await bed.view('scene');
  await live.drew(stage, before);
  const late = await bed.view('scene');
  const then = { live: live.state(), late: late.state() };
  stage.print(`${after ?? ''}${MORE}`);
  for (const viewer of [live, late]) await viewer.until('the rest', () => viewer.drawn.includes(MORE));
  return { then, end: { live: live.state(), late: late.state() } };
}

describe('a viewer that comes late', () => {
  it.each(SCENES)('pitfall 10: sees %s', async (_, before, after) => {
    const { then, end } = await attach(before, after);
    expect(then.late).toBe(then.live);
    expect(end.late).toBe(end.live);
  });

  it.each(LATER)('pitfall 10: goes on with %s', async (_, before, after) => {
    const { end } = await attach(before, after);
    expect(end.late).toBe(end.live);
  });

  // What is cleared in a colour is no text, and tmux before 3.4 does not tell it.
  it.runIf(tells34)('pitfall 10: sees a background up to the end of the line', async () => {
    const { then } = await attach('\x1b[44mblue\x1b[K\r\n\x1b[0mx\x1b[42m\x1b[K\x1b[0m');
    const blanks = (_: string, count: string) => ' '.repeat(Number(count));
    expect(then.late).toBe(then.live.replace(/\x1b\[(\d+)X/g, blanks));
  });

  it('pitfall 10: gets the shape of the cursor, and what the host was told before it was started again', async () => {
    const stage = await bed.stage('scene');
    const live = await bed.view('scene');
    await live.drew(stage, '\x1b[5 q\x1b[?2004h\x1b[?1004h\x1b]2;a title\x07');
    await until(() => bed.raw('show-options', '-pv', '-t', stage.pane, '@modes').includes('c5'));
    for (let round = 0; round < 2; round++) {
      const late = await bed.view('scene');
      expect(late.drawn).toContain('\x1b[5 q');
      expect(late.state()).toBe(live.state());
      await late.until('the title', () => late.info.title === 'a title');
      await bed.restart();
    }
  });

  it('pitfall 10: sees one moment, however fast it prints', async () => {
    // One digit, the cursor behind it, nothing else: a cursor or a row of another moment is seen at once.
    const program =
      '$| = 1; while (1) { for my $n (1, 17, 33, 60, 5) { printf "\\e[2J\\e[%d;%dH%d", $n % 20 + 1, $n, $n % 10; select undef, undef, undef, 0.0001 } }';
    const pane = await bed.run('fast', ['/usr/bin/perl', '-e', program]);
    await until(() => bed.raw('capture-pane', '-p', '-t', pane).trim() !== '');
    for (let i = 0; i < 200; i++) {
      const viewer = new TestViewer(bed, 'fast', { tab: 'fast', draws: false });
      await viewer.until('a snapshot', () => viewer.seen.snap > 0);
      viewer.close();
      const term = newTerminal();
      await new Promise<void>((done) => term.write(viewer.drawn, done));
      const { active } = term.buffer;
      const rows = Array.from(
        { length: 24 },
        (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
      );
      const y = rows.findIndex((row) => row !== '');
      expect([active.cursorX, active.cursorY]).toEqual([rows[y]?.length, y]);
    }
  });
});
