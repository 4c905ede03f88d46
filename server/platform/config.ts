import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/** The only reader of `process.env`. Everything else gets what it needs handed in. */
export interface Config {
  home: string; // the state folder
  port: number;
  path: string; // PATH for finding programs
  userHome: string;
  shell: string; // the user's own shell, for terminals
  /** Environment a session's process starts from: the user's own, without what is ours or Node's (S-39). */
  sessionEnv: Record<string, string>;
  /** Environment for tools we run ourselves: closed, no prompts. */
  toolEnv: Record<string, string>;
  /** Names a point at which the host kills itself; only crash tests set it. */
  crashAt: string | null;
  /** Offers the scripted agent outside the demo too: for tests and for people who try things. */
  scripted: boolean;
  /** The client comes from its sources, rebuilt as they change (`npm run dev`). */
  dev: boolean;
}

const DROP = /^(NODE_|npm_|OFFDECK_|NEXT_|TMUX|INIT_CWD$|TURBO|VITEST|PLAYWRIGHT|__)/;
/**
 * Which program draws the terminal the host was started in: a session has another one, and a CLI that believes these
 * would speak a dialect (images, links, clipboard) that its pane does not understand.
 */
const OUTER_TERMINAL =
  /^(TERM_PROGRAM|TERM_SESSION_ID$|LC_TERMINAL|ITERM_|KITTY_|WEZTERM_|GHOSTTY_|ALACRITTY_|KONSOLE_|VTE_VERSION$|WT_(SESSION|PROFILE_ID)$|VSCODE_|ZED_TERM$|INSIDE_EMACS$)/;

export const DEFAULT_PORT = 7433;

export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Config {
  const userHome = env.HOME || homedir();
  const stateRoot =
    platform === 'darwin'
      ? join(userHome, 'Library', 'Application Support')
      : env.XDG_STATE_HOME || join(userHome, '.local', 'state');
  const sessionEnv: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) {
    if (value !== undefined && !DROP.test(key) && !OUTER_TERMINAL.test(key)) sessionEnv[key] = value;
  }
  const path = env.PATH || '/usr/local/bin:/usr/bin:/bin';
  sessionEnv.PATH = path;
  sessionEnv.HOME = userHome;
  const toolEnv: Record<string, string> = { PATH: path, HOME: userHome, LC_ALL: 'C.UTF-8' };
  if (env.TMPDIR) toolEnv.TMPDIR = env.TMPDIR;
  return {
    home: env.OFFDECK_HOME || join(stateRoot, 'offdeck'),
    port: env.OFFDECK_PORT === undefined ? DEFAULT_PORT : Number(env.OFFDECK_PORT),
    path,
    userHome,
    shell: env.SHELL || userInfo().shell || '/bin/sh',
    sessionEnv,
    toolEnv,
    crashAt: env.OFFDECK_TEST_CRASH_AT || null,
    scripted: env.OFFDECK_SCRIPTED === '1',
    dev: env.OFFDECK_DEV === '1',
  };
}

/**
 * Ends the process at a named point with SIGKILL, as a power cut would: how the crash tests prove that no
 * acknowledged write is lost. Does nothing unless the test variable names this very point.
 */
export const crashPoint =
  (config: Pick<Config, 'crashAt'>) =>
  (name: string): void => {
    if (config.crashAt === name) process.kill(process.pid, 'SIGKILL');
  };
export type CrashPoint = ReturnType<typeof crashPoint>;
