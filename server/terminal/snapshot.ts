import type { ControlClient } from './control-client';
import type { Modes } from './modes';

const HISTORY = 1_000;
const NAMES = [
  'cursor_x',
  'cursor_y',
  'pane_width',
  'pane_height',
  'alternate_on',
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
  '@modes',
] as const;
const FORMAT = NAMES.map((name) => `#{${name}}`).join(' | ');

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
  begin: () => void,
): Promise<Snapshot> {
  const [lines, facts, saved, title] = await client.together([
    { line: `capture-pane -peN -S -${HISTORY} -t ${pane}`, begin },
    { line: `display-message -p -t ${pane} '${FORMAT}'` },
    { line: `capture-pane -peNaq -t ${pane}` },
    { line: `display-message -p -t ${pane} '#{pane_title}'` },
  ]);
  const values = (facts?.[0]?.toString('latin1') ?? '').split(' | ');
  const get = (name: (typeof NAMES)[number]) => values[NAMES.indexOf(name)] ?? '';
  const flag = (name: (typeof NAMES)[number]) => get(name) === '1';
  const cols = Number(get('pane_width')) || 80;
  const rows = Number(get('pane_height')) || 24;
  if (modes.save() === 'c0') modes.load(get('@modes'));

  const parts: (string | Buffer)[] = ['\x1b[0m'];
  const put = (rowsOf: Buffer[]) => {
    rowsOf.forEach((row, i) => {
      parts.push(i === 0 ? '' : '\r\n', row, '\x1b[0m');
    });
  };
  const all = lines ?? [];
  if (flag('alternate_on')) {
    const history = all.slice(0, Math.max(0, all.length - rows));
    put([...history, ...padded(saved ?? [], rows)]);
    parts.push('\x1b[?1049h\x1b[H');
    put(all.slice(-rows));
  } else put(all);
  const upper = Number(get('scroll_region_upper'));
  const lower = Number(get('scroll_region_lower'));
  if (upper > 0 || lower < rows - 1) parts.push(`\x1b[${upper + 1};${lower + 1}r`);
  if (flag('origin_flag')) parts.push('\x1b[?6h');
  if (!flag('wrap_flag')) parts.push('\x1b[?7l');
  if (flag('insert_flag')) parts.push('\x1b[4h');
  if (flag('keypad_cursor_flag')) parts.push('\x1b[?1h');
  if (flag('keypad_flag')) parts.push('\x1b=');
  if (flag('mouse_standard_flag')) parts.push('\x1b[?1000h');
  if (flag('mouse_button_flag')) parts.push('\x1b[?1002h');
  if (flag('mouse_all_flag')) parts.push('\x1b[?1003h');
  if (flag('mouse_sgr_flag')) parts.push('\x1b[?1006h');
  parts.push(modes.restore());
  parts.push(`\x1b[${Number(get('cursor_y')) + 1};${Number(get('cursor_x')) + 1}H`);
  if (!flag('cursor_flag')) parts.push('\x1b[?25l');
  return {
    bytes: Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    ),
    cols,
    rows,
    modes: modes.save(),
    title: title?.[0]?.toString('utf8') ?? '',
  };
}

const padded = (lines: Buffer[], rows: number): Buffer[] => {
  const out = lines.slice(0, rows);
  while (out.length < rows) out.push(Buffer.alloc(0));
  return out;
};

/** The visible screen as one frame, drawn in place: what a viewer sees of a flood. */
export async function takeFrame(client: ControlClient, pane: string): Promise<Buffer> {
  const [lines, cursor] = await client.together([
    { line: `capture-pane -peN -t ${pane}` },
    { line: `display-message -p -t ${pane} '#{cursor_x} #{cursor_y}'` },
  ]);
  const [x = 0, y = 0] = (cursor?.[0]?.toString('latin1') ?? '0 0').split(' ').map(Number);
  const parts: (string | Buffer)[] = ['\x1b[?2026h\x1b[H'];
  (lines ?? []).forEach((row, i) => {
    parts.push(i === 0 ? '' : '\r\n', '\x1b[0m\x1b[K', row);
  });
  parts.push(`\x1b[0m\x1b[${y + 1};${x + 1}H\x1b[?2026l`);
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
}
