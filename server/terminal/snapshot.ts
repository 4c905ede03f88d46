import type { ControlClient } from './control-client';
import { unescapeOctal } from './control-parser';
import type { Modes } from './modes';
import { withoutC1 } from './output-filter';
import { Pen } from './pen';

const HISTORY = 1_000;
const NAMES = [
  'cursor_x',
  'cursor_y',
  'pane_width',
  'pane_height',
  'alternate_on',
  'alternate_saved_x',
  'alternate_saved_y',
  'insert_flag',
  'keypad_cursor_flag',
  'keypad_flag',
  'mouse_standard_flag',
  'mouse_button_flag',
  'mouse_all_flag',
  'mouse_sgr_flag',
  'origin_flag',
  'wrap_flag',
  'cursor_flag',
  'scroll_region_upper',
  'scroll_region_lower',
  'pane_tabs',
  '@modes',
] as const;
/** What is asked of a pane beside its text. */
export const FORMAT = NAMES.map((name) => `#{${name}}`).join(' | ');

export interface Snapshot {
  bytes: Buffer;
  cols: number;
  rows: number;
  modes: string;
  title: string;
}

/**
 * The whole state of a pane as bytes for a fresh terminal: history, screen, the primary screen under an alternate one,
 * modes and cursor. `begin` runs at the exact place in the stream where it was taken, so what follows is neither lost
 * nor doubled.
 */
export async function takeSnapshot(
  client: ControlClient,
  pane: string,
  modes: Modes,
  at: {
    begin(): void;
    /** The beginning of a sequence whose end is still to come; asked for only if wanted, since it can be long. */
    pending?(bytes: Buffer): void;
  },
): Promise<Snapshot> {
  const [lines, facts, saved, title] = await client.together([
    { line: `capture-pane -peN -S -${HISTORY} -t ${pane}`, begin: at.begin },
    { line: `display-message -p -t ${pane} '${FORMAT}'` },
    { line: `capture-pane -peNaq -t ${pane}` },
    { line: `display-message -p -t ${pane} '#{pane_title}'` },
    ...(at.pending
      ? [
          {
            line: `capture-pane -pPC -t ${pane}`,
            reply: (reply: Buffer[]) => at.pending?.(unescapeOctal(reply[0] ?? Buffer.alloc(0))),
          },
        ]
      : []),
  ]);
  const values = (facts?.[0]?.toString('latin1') ?? '').split(' | ');
  const get = (name: (typeof NAMES)[number]) => values[NAMES.indexOf(name)] ?? '';
  const flag = (name: (typeof NAMES)[number]) => get(name) === '1';
  const cols = Number(get('pane_width')) || 80;
  const rows = Number(get('pane_height')) || 24;
  if (modes.save() === 'c0') modes.load(get('@modes'));

  const all = drawable(lines ?? []);
  const parts: (string | Buffer)[] = [BEGIN];
  if (flag('alternate_on')) {
    const history = all.slice(0, Math.max(0, all.length - rows));
    parts.push(...joined([...history, ...padded(drawable(saved ?? []), rows)]), END);
    const x = Number(get('alternate_saved_x'));
    // Without a place of its own (the older ways to switch) the cursor comes along.
    const known = x <= cols;
    parts.push(
      to(known ? x : Number(get('cursor_x')), Number(get(known ? 'alternate_saved_y' : 'cursor_y'))),
    );
    parts.push(modes.restoreHand(true), '\x1b[?1049h', BEGIN, '\x1b[H', ...joined(all.slice(-rows)), END);
  } else parts.push(...joined(all), END);
  const stops = get('pane_tabs').split(',').filter(Boolean).map(Number);
  if (stops.some((stop, i) => stop !== 8 * (i + 1)) || stops.length !== Math.floor((cols - 1) / 8)) {
    parts.push('\x1b[3g', ...stops.map((stop) => `\x1b[${stop + 1}G\x1bH`));
  }
  const x = Number(get('cursor_x'));
  const y = Number(get('cursor_y'));
  const upper = Number(get('scroll_region_upper'));
  const lower = Number(get('scroll_region_lower'));
  if (upper > 0 || lower < rows - 1) parts.push(`\x1b[${upper + 1};${lower + 1}r`);
  parts.push(to(x, y));
  // Behind the last column a cursor cannot be put; it is left there by what was written last.
  if (x >= cols) parts.push(to(0, y), BEGIN, all.slice(-rows)[y] ?? '', END);
  if (flag('origin_flag')) parts.push('\x1b[?6h', to(x, y - upper));
  if (!flag('wrap_flag')) parts.push('\x1b[?7l');
  if (flag('insert_flag')) parts.push('\x1b[4h');
  if (flag('keypad_cursor_flag')) parts.push('\x1b[?1h');
  if (flag('keypad_flag')) parts.push('\x1b=');
  if (flag('mouse_standard_flag')) parts.push('\x1b[?1000h');
  if (flag('mouse_button_flag')) parts.push('\x1b[?1002h');
  if (flag('mouse_all_flag')) parts.push('\x1b[?1003h');
  if (flag('mouse_sgr_flag')) parts.push('\x1b[?1006h');
  parts.push(modes.restore());
  if (!flag('cursor_flag')) parts.push('\x1b[?25l');
  parts.push(modes.restoreHand());
  return {
    bytes: bytesOf(parts),
    cols,
    rows,
    modes: modes.save(),
    title: title?.[0]?.toString('utf8') ?? '',
  };
}

/** Plain, and with the alphabet of lines where tmux shifts to it; `END` is how a fresh terminal begins. */
const BEGIN = '\x1b[0m\x1b)0';
const END = '\x1b[0m\x0f\x1b)B';
const to = (x: number, y: number): string => `\x1b[${y + 1};${x + 1}H`;
const bytesOf = (parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
/** A row that ends in a colour would have its line end draw with it. */
const joined = (rows: Buffer[]): (string | Buffer)[] =>
  rows.flatMap((row, i) => (i === 0 ? [row] : ['\x1b[0m\x0f\r\n', row]));

/**
 * Captured rows, each of which can be drawn by itself. tmux says only what changes, over all rows: the second of two red
 * rows does not say that it is red.
 */
function drawable(rows: Buffer[]): Buffer[] {
  const pen = new Pen();
  let shifted = false;
  return rows.map((row) => {
    const start = `${pen.restore()}${shifted ? '\x0e' : ''}`;
    let text = row
      .toString('latin1')
      // tmux writes overlined as 5:3, which elsewhere is a kind of blinking.
      .replace(/\x1b\[[0-9;:]*5:3[0-9;:]*m/g, (sequence) => sequence.replace('5:3', '53'));
    for (const [whole, look] of text.matchAll(/\x1b\[([0-9;:]*)m|[\x0e\x0f]/g)) {
      if (look !== undefined) pen.apply(look);
      else shifted = whole === '\x0e';
    }
    // From 3.4 on it fills rows up, which would be copied as blanks.
    if (pen.unseen) text = text.replace(/ +$/, '');
    return withoutC1(Buffer.from(start + text, 'latin1'));
  });
}

const padded = (lines: Buffer[], rows: number): Buffer[] => {
  const out = lines.slice(0, rows);
  while (out.length < rows) out.push(Buffer.alloc(0));
  return out;
};

export interface Frame {
  bytes: Buffer;
  /** Changes with all that is printed, also when that is the same line again. */
  mark: string;
}

/** The visible screen as one frame, drawn in place: what a viewer sees of a flood. */
export async function takeFrame(client: ControlClient, pane: string): Promise<Frame> {
  const [lines, facts] = await client.together([
    { line: `capture-pane -peN -t ${pane}` },
    { line: `display-message -p -t ${pane} '#{cursor_x} #{cursor_y} #{history_size} #{history_bytes}'` },
  ]);
  const mark = facts?.[0]?.toString('latin1') ?? '';
  const [x = 0, y = 0] = mark.split(' ').map(Number);
  const parts: (string | Buffer)[] = [`\x1b[?2026h${BEGIN}\x0f\x1b[H`];
  drawable(lines ?? []).forEach((row, i) => {
    parts.push(i === 0 ? '' : '\r\n', '\x1b[0m\x0f\x1b[K', row);
  });
  parts.push(END, to(x, y), '\x1b[?2026l');
  return { bytes: bytesOf(parts), mark };
}
