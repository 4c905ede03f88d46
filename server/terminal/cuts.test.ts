import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../tmux/testing';
import { makeTerminalBed, type Stage, same, type TerminalBed, TestViewer } from './testing';

let bed: TerminalBed;
beforeEach(async () => {
  bed = await makeTerminalBed();
});
afterEach(() => bed.end());

const byte = (...codes: number[]) => Buffer.from(codes);
/** Something cut in two, and what it is. */
const HALVES: [string, Buffer, Buffer][] = [
  ['a colour', Buffer.from('\x1b[3'), Buffer.from('1mred')],
  ['an escape', Buffer.from('\x1b'), Buffer.from('[1mbold')],
  ['a title', Buffer.from('\x1b]2;ti'), Buffer.from('tle\x07text')],
  ['a clipboard write', Buffer.from('\x1b]52;c;aG'), Buffer.from('k=\x07text')],
  ['an image', Buffer.from('\x1bPq#0;2'), Buffer.from(';0~~\x1b\\text')],
  ['a query', Buffer.from('\x1b[6'), Buffer.from('ntext')],
  ['a character of two bytes', byte(0xc3), byte(0xa9, 0x78)],
  ['a character of three bytes', byte(0xe6, 0xbc), byte(0xa2, 0x78)],
  ['a character of four bytes', byte(0xf0, 0x9f, 0x80), byte(0x80, 0x78)],
];

async function settle(stage: Stage, viewers: TestViewer[], replies: RegExp): Promise<void> {
  stage.print(' end\r\n');
  await until(() => bed.raw('capture-pane', '-p', '-t', stage.pane).includes(' end'));
  const fresh = await bed.view(viewers[0]!.session);
  // A snapshot has a thousand lines of the history, and who was there before has more.
  const lines = (of: TestViewer) => of.history().join('\n').trimEnd().split('\n').slice(-1_000).join('\n');
  for (const viewer of [...viewers, fresh]) {
    await same(bed, stage.pane, viewer);
    // Until a flood is over there are pictures of the screen only.
    await viewer.until('the same history', () => lines(viewer) === lines(fresh));
  }
  expect(stage.typed()).toMatch(replies);
}
/** tmux answers a query once, and no viewer does. */
const repliesTo = (what: string) => (what === 'a query' ? /^\x1b\[1;8R$/ : /^$/);

describe('output that is cut inside something', () => {
  it.each(HALVES)(
    'pitfall 7: %s: a viewer that comes in between, or redials, sees the whole',
    async (what, one, two) => {
      const stage = await bed.stage('cut');
      const viewer = await bed.view('cut');
      await viewer.drew(stage, 'before ');
      stage.print(one);
      // What comes along in another pane was read by then, and so was this.
      const other = await bed.stage('other');
      await (await bed.view('other')).drew(other, 'x');
      const late = await bed.view('cut');
      viewer.close();
      viewer.connect();
      await viewer.drew(stage, two);
      await settle(stage, [viewer, late], repliesTo(what));
    },
  );

  it.each(HALVES)('pitfall 7: %s: a host that begins in between shows the whole', async (what, one, two) => {
    const stage = await bed.stage('cut');
    const viewer = await bed.view('cut');
    await viewer.drew(stage, 'before ');
    stage.print(one);
    await until(() => bed.raw('capture-pane', '-pPC', '-t', stage.pane).trim() !== '' || one[0]! > 0x7f);
    await bed.restart();
    const late = await bed.view('cut');
    stage.print(two);
    await settle(stage, [late], repliesTo(what));
  });

  it.each(HALVES)(
    'pitfall 7: %s: a flood that pauses in between ends as the whole',
    async (what, one, two) => {
      const stage = await bed.stage('cut');
      const viewer = await bed.view('cut');
      const away = await bed.view('cut');
      away.close();
      // Large enough to be a flood on a busy machine too.
      const flood = `${'\x1b[32ma flood\x1b[0m\r\n'.repeat(150_000)}its last line`;
      stage.print(Buffer.concat([Buffer.from(flood), one]));
      await viewer.until('a flood', () => viewer.infos.some((news) => news.flood));
      await viewer.until('its end', () => !viewer.info.flood && viewer.screen().includes('its last line'));
      stage.print(two);
      away.connect();
      await settle(stage, [viewer, away], what === 'a query' ? /^\x1b\[24;14R$/ : /^$/);
    },
  );
});

describe('a viewer that was away', () => {
  const text = (count: number, of: string) =>
    Array.from({ length: count }, (_, i) => `\x1b[3${i % 8}m${of} ${i} 漢字 🀀\x1b[0m\r\n`).join('');

  it('pitfall 7: goes on where it was, or begins anew behind what is kept', async () => {
    const stage = await bed.stage('away');
    const desk = await bed.view('away');
    const phone = await bed.view('away');
    for (const lines of [10, 2_000, 30_000, 100, 3_000]) {
      phone.close();
      for (const half of ['one', 'two']) {
        stage.print(`${text(lines / 2, half)}${half} of ${lines} done\r\n`);
        await desk.shows(`${half} of ${lines} done`);
      }
      phone.connect();
      await settle(stage, [phone, desk], /^$/);
    }
  });

  it('pitfall 7: and came and went within a flood, does not take the pause for the place where it was', async () => {
    const stage = await bed.stage('away');
    const desk = await bed.view('away');
    const [leaves, flood] = [await bed.view('away'), text(900_000, 'line')];
    leaves.close();
    stage.print(`${flood}the end\r\n`);
    await desk.until('a flood', () => desk.infos.some((news) => news.flood));
    leaves.connect();
    await leaves.until('a snapshot', () => leaves.seen.snap === 2);
    expect(leaves.info.flood).toBe(true);
    leaves.close();
    await desk.until('its end', () => !desk.info.flood && desk.screen().includes('the end'));
    leaves.connect();
    await settle(stage, [leaves, desk], /^$/);
  });

  it('pitfall 7: at any place of the stream, also inside a character', async () => {
    const stage = await bed.stage('away');
    const desk = await bed.view('away');
    await desk.drew(stage, text(3_000, 'line'));
    await settle(stage, [desk], /^$/);
    const end = desk.seq ?? 0;
    // Every place of the newest lines, as a viewer has them that lost its line in the middle of a message.
    for (let from = end - 60; from <= end; from++) {
      const phone = new TestViewer(bed, 'away', {
        tab: `from${from}`,
        draws: false,
        at: { epoch: desk.epoch, seq: from },
      });
      await phone.until('the rest', () => phone.seq === end);
      expect([phone.bytes, phone.seen.snap]).toEqual([end - from, 0]);
      phone.close();
    }
    const before = end - 2 * 1024 * 1024;
    for (const from of [end + 1, before]) {
      const phone = new TestViewer(bed, 'away', {
        tab: 'far',
        draws: false,
        at: { epoch: desk.epoch, seq: from },
      });
      await phone.until('a snapshot', () => phone.seen.snap === 1);
      phone.close();
    }
  });
});
