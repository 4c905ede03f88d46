import { constants } from 'node:os';

/** One row of what the private server holds. */
export interface PaneRow {
  sid: string; // session id; empty for windows that are no sessions
  service: string; // name of a helper process; empty for others
  pane: string; // %n
  dead: boolean;
  exitCode: number | null; // 128 + signal for a killed program; null while it lives or when tmux does not know
  pid: number;
  cols: number;
  rows: number;
  command: string;
  title: string;
}

const FIELDS = [
  'pane_id',
  'pane_pid',
  'pane_dead',
  'pane_dead_status',
  'pane_dead_signal', // tmux 3.3; empty before
  'pane_width',
  'pane_height',
  '@sid',
  '@service',
  'pane_current_command',
  'pane_title',
];

/**
 * The format for one listing. Names of commands and titles come from programs and may hold line ends or tabs, so rows
 * start with a mark nobody could know, generated fields come first, and the free text is last.
 */
export const listFormat = (mark: string): string =>
  [mark, ...FIELDS.map((field) => `#{${field}}`)].join('\t');

const SAFE = /^[a-z0-9-]{0,60}$/;
const count = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null);
/** tmux writes a signal as a number or, where the system has names for them, as a name. */
const signalNumber = (text: string): number | null =>
  count(text) ??
  (constants.signals as Record<string, number>)[`SIG${text.replace(/^SIG/i, '').toUpperCase()}`] ??
  null;

/** Pure: the rows of a listing made with `listFormat(mark)`. What is not exactly a row is left out. */
export function parseList(text: string, mark: string): PaneRow[] {
  const rows: PaneRow[] = [];
  for (const line of text.split('\n')) {
    const [start, pane = '', pid, dead, status, signal, cols, rowCount, sid, service, command, ...title] =
      line.split('\t');
    if (start !== mark || !/^%\d+$/.test(pane)) continue;
    const killedBy = signalNumber(signal ?? '');
    rows.push({
      sid: SAFE.test(sid ?? '') ? (sid ?? '') : '',
      service: SAFE.test(service ?? '') ? (service ?? '') : '',
      pane,
      dead: dead === '1',
      exitCode: dead !== '1' ? null : killedBy ? 128 + killedBy : count(status ?? ''),
      pid: count(pid ?? '') ?? 0,
      cols: count(cols ?? '') ?? 0,
      rows: count(rowCount ?? '') ?? 0,
      command: command ?? '',
      title: title.join(' '),
    });
  }
  return rows;
}
