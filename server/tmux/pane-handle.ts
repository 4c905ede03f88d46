import { AppError } from '../contract';
import { findProgram, newId, run } from '../platform';
import { cleanPaste } from './clean-paste';
import { type TmuxCommand, type TmuxReply, tmuxFailed } from './tmux-command';

const KEYS = ['Enter', 'Escape', 'C-s', 'C-c'] as const;
export type PaneKey = (typeof KEYS)[number];

/** One pane. Every method asks tmux; nothing is cached, since programs and people change panes at any time. */
export interface PaneHandle {
  readonly pane: string;
  /** True while the pane exists and its program runs. */
  alive(): Promise<boolean>;
  /** The visible screen as lines; with `escapes`, SGR included. Also of a program that ended. */
  screen(options?: { escapes?: boolean }): Promise<string[]>;
  /** Control bytes are removed. Throws AppError `conflict`, and writes nothing, in copy mode or a dead pane. */
  paste(text: string): Promise<void>;
  /** Throws like `paste`. */
  key(name: PaneKey): Promise<void>;
  /** Of the pane's program; null when it ended. */
  pid(): Promise<number | null>;
  title(): Promise<string>;
  /** The program and all its descendants that live, parents first; empty when it ended. */
  processes(): Promise<number[]>;
}

const PANE = /^%\d{1,9}$/;

/** A pane id from anywhere, or AppError: nothing else may become a tmux target. */
export function paneId(pane: string): string {
  if (!PANE.test(pane)) throw new AppError({ code: 'bad-input', message: `"${pane}" is no pane.` });
  return pane;
}

const gone = (): AppError =>
  new AppError({ code: 'conflict', message: 'This terminal was closed.', hint: 'Resume the session.' });

/** True when tmux says that this pane is not there (nor any other, with the server gone). */
export const paneMissing = (reply: TmuxReply): boolean =>
  reply.gone || /can't find (pane|window|session)/.test(reply.error);

/** Pure: `root` and its descendants, parents first, from `ps` lines of "pid ppid". */
export function descendants(root: number, table: string): number[] {
  const children = new Map<number, number[]>();
  for (const line of table.split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (!pid || parent === undefined || pid === parent) continue;
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [root];
  for (let i = 0; i < found.length; i++) found.push(...(children.get(found[i]!) ?? []));
  return found;
}

/**
 * A handle on the pane `id`. With `sid`, only while that session is in it: a new server counts panes from zero again,
 * so an old id may name another session's pane. Throws AppError when `id` is no pane id.
 */
export function paneHandle(
  tmux: TmuxCommand,
  toolEnv: Record<string, string>,
  id: string,
  sid?: string,
): PaneHandle {
  const pane = paneId(id);
  const isOurs = (first: string | undefined): boolean => {
    const [found, owner] = (first ?? '').split(' ');
    return found === pane && (sid === undefined || owner === sid);
  };

  /** tmux answers an empty line for a pane that is gone, so the pane's id is asked for too. */
  const ask = async (format: string): Promise<string | null> => {
    const reply = await tmux(['display-message', '-p', '-t', pane, `#{pane_id} #{@sid}\t${format}`]);
    if (paneMissing(reply)) return null;
    if (!reply.ok) throw tmuxFailed('The pane could not be read', reply);
    const [first, ...rest] = reply.out.replace(/\n$/, '').split('\t');
    return isOurs(first) ? rest.join('\t') : null;
  };

  const mustTakeInput = async (): Promise<void> => {
    const state = await ask('#{pane_dead} #{pane_in_mode}');
    if (state === null) throw gone();
    const [dead, mode] = state.split(' ');
    if (dead === '1') {
      throw new AppError({
        code: 'conflict',
        message: 'The program in this terminal has ended.',
        hint: 'Resume the session.',
      });
    }
    // In copy mode keys scroll or search instead of reaching the program.
    if (mode !== '0') {
      throw new AppError({
        code: 'conflict',
        message: 'This terminal is in copy mode, so nothing was typed.',
        hint: 'Leave copy mode (q) in the terminal, then send again.',
      });
    }
  };

  const pid = async (): Promise<number | null> => {
    const [dead, number] = (await ask('#{pane_dead} #{pane_pid}'))?.split(' ') ?? ['1'];
    return dead === '0' ? Number(number) : null;
  };

  return {
    pane,
    pid,
    async alive() {
      return (await ask('#{pane_dead}')) === '0';
    },
    async screen(options) {
      const reply = await tmux([
        ...['display-message', '-p', '-t', pane, '#{pane_id} #{@sid}', ';'],
        ...['capture-pane', '-p', ...(options?.escapes ? ['-e'] : []), '-t', pane],
      ]);
      if (paneMissing(reply)) throw gone();
      if (!reply.ok) throw tmuxFailed('The screen could not be read', reply);
      const [first, ...lines] = reply.out.replace(/\n$/, '').split('\n');
      if (!isOurs(first)) throw gone();
      return lines;
    },
    async paste(text) {
      const clean = cleanPaste(text);
      if (clean === '') return;
      await mustTakeInput();
      // A name of its own, so two pastes at once cannot swap their texts. -p brackets if the program asked for it, -r
      // keeps line ends, -d deletes the buffer.
      const buffer = `paste-${newId(60)}`;
      const reply = await tmux(
        ['load-buffer', '-b', buffer, '-', ';', 'paste-buffer', '-p', '-r', '-d', '-b', buffer, '-t', pane],
        clean,
      );
      if (reply.ok) return;
      await tmux(['delete-buffer', '-b', buffer]);
      throw paneMissing(reply) ? gone() : tmuxFailed('The text could not be pasted', reply);
    },
    async key(name) {
      if (!KEYS.includes(name)) {
        throw new AppError({ code: 'bad-input', message: `"${name}" is not a key that may be sent.` });
      }
      await mustTakeInput();
      const reply = await tmux(['send-keys', '-t', pane, name]);
      if (!reply.ok) throw paneMissing(reply) ? gone() : tmuxFailed('The key could not be sent', reply);
    },
    async title() {
      return (await ask('#{pane_title}')) ?? '';
    },
    async processes() {
      const root = await pid();
      if (root === null) return [];
      const ps = findProgram('ps', toolEnv.PATH ?? '/bin:/usr/bin');
      // Without `ps` (a bare container) the program alone is known.
      if (ps === null) return [root];
      const result = await run(ps, ['-A', '-o', 'pid=,ppid='], { env: toolEnv, timeoutMs: 5_000 });
      return descendants(root, result.stdout.toString('utf8'));
    },
  };
}
