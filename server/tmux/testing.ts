import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, type Paths, pathsFor, silentJournal } from '../platform';
import { createTmux, type LaunchSpec, type Tmux } from './index';

/** For tests only: a private tmux server of one test, in a folder of its own. */
export interface Bed {
  dir: string;
  paths: Paths;
  tmux: Tmux;
  env: Record<string, string>;
  /** Plain tmux on the bed's socket, past the code under test. */
  raw(...args: string[]): string;
  /** Opens a session that runs `argv`; its id is the pane's name. */
  start(id: string, spec: Partial<LaunchSpec> & Pick<LaunchSpec, 'argv'>): Promise<string>;
  end(): void;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';
/** The tmux under test; OFFDECK_TEST_TMUX names another version's program. */
export const TMUX = process.env.OFFDECK_TEST_TMUX ?? findProgram('tmux', PATH) ?? '/usr/bin/tmux';

/** `home` below the temporary folder may have any name; sockets stay short either way. */
export function makeBed(home = 'home'): Bed {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'od-')));
  const paths = pathsFor(join(dir, home), dir);
  mkdirSync(paths.home, { mode: 0o700 });
  const env = { PATH, HOME: dir, LC_ALL: 'C.UTF-8' };
  const tmux = createTmux({ tmux: TMUX, paths, toolEnv: env, journal: silentJournal });
  const raw = (...args: string[]): string =>
    execFileSync(TMUX, ['-u', '-S', paths.tmuxSocket, ...args], { env, cwd: '/', stdio: 'pipe' }).toString();
  return {
    dir,
    paths,
    tmux,
    env,
    raw,
    async start(id, spec) {
      const where = paths.session(id);
      mkdirSync(where.dir, { recursive: true, mode: 0o700 });
      tmux.writeLaunch(where.launch, { env, cwd: dir, ...spec });
      await tmux.ensureServer();
      return (await tmux.open({ id, launchFile: where.launch, cols: 80, rows: 24 })).pane;
    },
    end() {
      try {
        raw('kill-server');
      } catch {
        // It was ended by the test, or never started.
      }
      // A shell may write its history while it is hung up.
      rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** A program in raw mode that records every byte it is typed. */
export const recorder = (file: string, bracketed: boolean): string[] => [
  '/bin/sh',
  '-c',
  `stty raw -echo; ${bracketed ? "printf '\\033[?2004h'; " : ''}echo ready; exec cat > "$0"`,
  file,
];
/** What it recorded. */
export const typed = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Waits until `look` gives something else than null, undefined or false; fails after 20 s. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + 20_000;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`did not happen in time: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
