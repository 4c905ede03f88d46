import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../contract';
import { newId } from '../platform';
import { LAUNCHER } from './launch-file';
import { paneId, paneMissing } from './pane-handle';
import { listFormat, type PaneRow, parseList } from './pane-list';
import { type TmuxCommand, tmuxFailed } from './tmux-command';

/** The one session of the private server; a plain attach shows every window. */
export const HUB = 'hub';

export interface WindowSpec {
  name: string; // generated: [a-z0-9-]
  mark: '@sid' | '@service';
  value: string; // generated: [a-z0-9-]
  launchFile: string;
  size: { cols: number; rows: number } | null;
}

const side = (value: number): string => String(Math.min(1000, Math.max(2, Math.trunc(value) || 2)));

/** Pure: the tmux commands that open one window, as one call. */
export function windowCommands(spec: WindowSpec): string[] {
  const target = `${HUB}:=${spec.name}`;
  const size = spec.size && { cols: side(spec.size.cols), rows: side(spec.size.rows) };
  return [
    // The program must find its size at its first look: agents lay out their banner once.
    ...(size ? ['set-option', '-t', `${HUB}:`, 'default-size', `${size.cols}x${size.rows}`, ';'] : []),
    // Several words after `--` are executed as they are: no shell, no #{} expansion of the path.
    ...['new-window', '-d', '-t', `${HUB}:`, '-n', spec.name, '-P', '-F', '#{pane_id}', '--'],
    ...[...LAUNCHER, spec.launchFile, ';'],
    // In the same call, so that a host that dies here leaves no window that nobody knows.
    ...['set-option', '-p', '-t', target, spec.mark, spec.value],
    ...(size ? [';', 'resize-window', '-t', target, '-x', size.cols, '-y', size.rows] : []),
  ];
}

export interface Windows {
  /** Null when the server is gone. */
  list(): Promise<PaneRow[] | null>;
  /** A living window with this mark, or a new one; what is left of a dead one is removed first. */
  ensure(spec: WindowSpec): Promise<{ pane: string; created: boolean }>;
  /** With `sid`, only if that session is in the pane. */
  close(pane: string, sid?: string): Promise<void>;
  resize(pane: string, cols: number, rows: number): Promise<void>;
}

function nudge(server: number): void {
  try {
    if (server > 1) process.kill(server, 'SIGCHLD');
  } catch {
    // It ended in between; the next listing says so.
  }
}

export function createWindows(tmux: TmuxCommand): Windows {
  const listNow: Windows['list'] = async () => {
    const mark = newId(40);
    const reply = await tmux(['list-panes', '-a', '-F', listFormat(mark)]);
    if (reply.gone) return null;
    if (!reply.ok) throw tmuxFailed('The terminals could not be listed', reply);
    return parseList(reply.out, mark);
  };

  // tmux calls a pane dead when its terminal closes and learns the exit code from SIGCHLD, a moment later or, when that
  // signal is lost (seen with 3.3a), at the ending of some other program. A listing in between would record an ending
  // without a code for ever. So it looks again, and signals the server itself, which makes it collect its children and
  // does nothing else. Once a pane, since some never get a code (killed ones before tmux 3.3).
  const waitedFor = new Set<number>();
  const list: Windows['list'] = async () => {
    for (const wait of [10, 30, 60, 120]) {
      const rows = await listNow();
      const unsettled = rows?.filter((row) => row.dead && row.exitCode === null && !waitedFor.has(row.pid));
      if (!unsettled?.length) return rows;
      const server = await tmux(['display-message', '-p', '-t', `${HUB}:`, '#{pid}']);
      if (server.ok) nudge(Number(server.out));
      await pause(wait);
      if (wait === 120) for (const row of unsettled) waitedFor.add(row.pid);
    }
    return listNow();
  };

  const close: Windows['close'] = async (pane, sid) => {
    if (sid !== undefined && !(await listNow())?.some((row) => row.pane === pane && row.sid === sid)) return;
    const reply = await tmux(['kill-window', '-t', paneId(pane)]);
    if (!reply.ok && !paneMissing(reply)) throw tmuxFailed('The terminal could not be closed', reply);
  };

  const ensure: Windows['ensure'] = async (spec) => {
    const key = spec.mark === '@sid' ? 'sid' : 'service';
    for (const row of (await list()) ?? []) {
      if (row[key] !== spec.value) continue;
      if (!row.dead) return { pane: row.pane, created: false };
      await close(row.pane);
    }
    const reply = await tmux(windowCommands(spec));
    const pane = reply.out.trim();
    if (!reply.ok || !/^%\d+$/.test(pane)) {
      throw tmuxFailed('The terminal could not be opened', reply);
    }
    return { pane, created: true };
  };

  // One after the other: two callers that both see no window would open two.
  let last: Promise<unknown> = Promise.resolve();
  return {
    list,
    close,
    async resize(pane, cols, rows) {
      const reply = await tmux(['resize-window', '-t', paneId(pane), '-x', side(cols), '-y', side(rows)]);
      if (!reply.ok) throw tmuxFailed('The terminal could not be resized', reply);
    },
    ensure(spec) {
      for (const word of [spec.name, spec.value]) {
        if (!/^[a-z0-9-]{1,60}$/.test(word)) {
          return Promise.reject(
            new AppError({ code: 'bad-input', message: `"${word}" cannot name a terminal.` }),
          );
        }
      }
      const next = last.then(() => ensure(spec));
      last = next.catch(() => {});
      return next;
    },
  };
}
