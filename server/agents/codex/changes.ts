import { isAbsolute, relative } from 'node:path';
import type { Change } from './protocol';

const shown = (path: string, cwd: string): string => {
  const inside = isAbsolute(path) ? relative(cwd, path) : path;
  return inside === '' || inside.startsWith('..') ? path : inside;
};

const lines = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** New and deleted files come as their plain text, changed ones as a diff. */
const signed = (change: Change): string[] =>
  change.kind.type === 'add'
    ? lines(change.diff).map((line) => `+${line}`)
    : change.kind.type === 'delete'
      ? lines(change.diff).map((line) => `-${line}`)
      : lines(change.diff);

const WORDS: Record<string, string> = { add: 'Add', delete: 'Delete', update: 'Edit' };
const word = (change: Change): string => WORDS[change.kind.type] ?? 'Edit';
const moved = (change: Change, cwd: string): string =>
  change.kind.move_path ? ` → ${shown(change.kind.move_path, cwd)}` : '';

/** Pure. The complete text of a patch, file by file. */
export const diffText = (changes: readonly Change[], cwd: string): string =>
  changes
    .map((change) =>
      [`${word(change)} ${shown(change.path, cwd)}${moved(change, cwd)}`, ...signed(change)].join('\n'),
    )
    .join('\n\n');

/** Pure. One line for each file of a patch: "Edit src/a.ts +3 −1". */
export const changeLines = (changes: readonly Change[], cwd: string): string[] =>
  changes.map((change) => {
    const text = signed(change);
    const added = text.filter((line) => line.startsWith('+') && !line.startsWith('+++ ')).length;
    const removed = text.filter((line) => line.startsWith('-') && !line.startsWith('--- ')).length;
    return `${word(change)} ${shown(change.path, cwd)}${moved(change, cwd)} +${added} −${removed}`;
  });
