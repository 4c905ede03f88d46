import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../contract';
import { type Journal, type Paths, privateFolder, run, writePrivate } from '../platform';
import { type LaunchSpec, writeLaunchFile } from './launch-file';
import { type PaneHandle, paneHandle } from './pane-handle';
import type { PaneRow } from './pane-list';
import { createServices, type Services } from './services';
import { tmuxCommand } from './tmux-command';
import { TMUX_CONF } from './tmux-conf';
import { createWindows, HUB } from './windows';

export interface TmuxDeps {
  tmux: string; // absolute path
  paths: Pick<Paths, 'home' | 'runtime' | 'tmuxSocket' | 'tmuxConf'>;
  toolEnv: Record<string, string>;
  journal: Journal;
}

export interface Probe {
  alive: boolean; // the server answers and has the hub
  pid: number | null; // of the server: another pid means that every pane id is void
  version: string | null; // of the running server, which may be older than the program
}

export interface Tmux {
  /** What `tmux -V` says. */
  version(): Promise<string>;
  probe(): Promise<Probe>;
  alive(): Promise<boolean>;
  /** Makes sure that the private server runs with exactly one hub. Cheap when it does. Throws AppError. */
  ensureServer(): Promise<void>;
  /** One window for a session. Idempotent by id: a living pane of this id is returned, never doubled. */
  open(spec: { id: string; launchFile: string; cols: number; rows: number }): Promise<{ pane: string }>;
  writeLaunch(file: string, spec: LaunchSpec): void;
  /** Every pane with its exit code; null when the server is gone. */
  list(): Promise<PaneRow[] | null>;
  /**
   * Ends the pane's program and removes its window; fine when it is gone already. Give `sid` whenever `pane` was
   * stored: after a restart of the server the same id may be another session's.
   */
  close(pane: string, sid?: string): Promise<void>;
  resize(pane: string, cols: number, rows: number): Promise<void>;
  /** `sid` as with `close`. */
  access(pane: string, sid?: string): PaneHandle;
  readonly services: Services;
}

// About 6 s in all: a server that is ending holds its socket for some 100 ms.
const BACK_OFF_MS = [20, 50, 100, 200, 400, 800, 1600, 3000];

/** The private tmux server of one state folder. Starts nothing by itself. */
export function createTmux(deps: TmuxDeps): Tmux {
  const { paths, journal } = deps;
  const tmux = tmuxCommand(deps.tmux, paths.tmuxSocket, deps.toolEnv);
  const windows = createWindows(tmux);

  const probe = async (): Promise<Probe> => {
    const reply = await tmux(['list-sessions', '-F', '#{session_name}\t#{pid}\t#{version}']);
    const hub = reply.out
      .split('\n')
      .map((line) => line.split('\t'))
      .find(([name]) => name === HUB);
    return hub
      ? { alive: true, pid: Number(hub[1]), version: hub[2] ?? null }
      : { alive: false, pid: null, version: null };
  };

  let configured = false;
  const configure = async (): Promise<void> => {
    // By stdin: `source-file` would take a path for a pattern.
    const reply = await tmux(['source-file', '-'], TMUX_CONF);
    if (!reply.ok) journal.warn(`the running tmux server did not take the configuration: ${reply.error}`);
    configured = true;
  };

  const start = async (): Promise<void> => {
    let problem = '';
    for (const wait of [0, ...BACK_OFF_MS]) {
      if (wait > 0) await pause(wait);
      if ((await probe()).alive) {
        if (!configured) await configure();
        return;
      }
      privateFolder(paths.runtime);
      writePrivate(paths.tmuxConf, TMUX_CONF);
      // The server puts itself into a session of its own, so signals to our group do not reach it. The name makes a
      // second hub impossible: the loser of a race gets "duplicate session" and finds the winner's at its next look.
      // The keeper is a window that never ends, so the hub does not end with its last session.
      const keeper = ['/bin/sh', '-c', 'exec tail -f /dev/null'];
      const reply = await tmux([
        ...['-f', paths.tmuxConf, 'new-session', '-d', '-s', HUB, '-n', 'keeper', '-x', '120', '-y', '32'],
        ...['--', ...keeper],
      ]);
      if (reply.ok) {
        configured = true;
        if ((await probe()).alive) return;
      }
      problem = reply.error;
    }
    throw new AppError({
      code: 'unavailable',
      message: `The private tmux server could not be started: ${problem || 'it ended at once'}.`,
      hint: `Run this to see more: ${deps.tmux} -S ${paths.tmuxSocket} list-sessions`,
    });
  };

  let starting: Promise<void> | null = null;
  const ensureServer = (): Promise<void> => {
    starting ??= start().finally(() => {
      starting = null;
    });
    return starting;
  };

  return {
    probe,
    ensureServer,
    list: windows.list,
    close: windows.close,
    writeLaunch: writeLaunchFile,
    async version() {
      const result = await run(deps.tmux, ['-V'], { env: deps.toolEnv, timeoutMs: 5_000 });
      return result.stdout.toString('utf8').trim();
    },
    async alive() {
      return (await probe()).alive;
    },
    async open(spec) {
      const { pane } = await windows.ensure({
        name: spec.id,
        mark: '@sid',
        value: spec.id,
        launchFile: spec.launchFile,
        size: { cols: spec.cols, rows: spec.rows },
      });
      return { pane };
    },
    resize: windows.resize,
    access: (pane, sid) => paneHandle(tmux, deps.toolEnv, pane, sid),
    services: createServices(
      windows,
      { folder: join(paths.home, 'services'), runtimeDir: paths.runtime },
      ensureServer,
    ),
  };
}
