import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../contract';

/** Every path of the state folder, in one place. */
export interface Paths {
  home: string;
  db: string;
  backups: string;
  runtime: string; // sockets; short, because a Unix socket path may hold only about 100 bytes
  controlSocket: string;
  tmuxSocket: string;
  tmuxConf: string;
  session(id: string): SessionPaths;
}
export interface SessionPaths {
  dir: string; // 0700
  launch: string; // 0600: a shell script with argv, env, cwd
  capability: string; // 0600: the session's own secret
  socket: string; // hooks of this session speak here
}

const SOCKET_LIMIT = 100;

/** Pure: the folder of the demo of a state folder: fixed, so that the command finds a demo that runs. */
export const demoFolderOf = (home: string): string => `${home}-demo`;
/** Pure: the state folder inside a demo's folder; its repositories lie beside it. */
export const demoHomeOf = (home: string): string => join(demoFolderOf(home), 'state');

/** Pure: where things are for a given state folder. */
export function pathsFor(home: string, tmp: string = tmpdir()): Paths {
  const inside = join(home, 'run');
  const longest = join(inside, `${'x'.repeat(20)}.sock`).length;
  const runtime =
    longest <= SOCKET_LIMIT
      ? inside
      : join(tmp, `offdeck-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`);
  return {
    home,
    db: join(home, 'offdeck.db'),
    backups: join(home, 'backups'),
    runtime,
    controlSocket: join(runtime, 'control.sock'),
    tmuxSocket: join(runtime, 'tmux.sock'),
    tmuxConf: join(home, 'tmux.conf'),
    session: (id) => {
      const dir = join(home, 'sessions', id);
      return {
        dir,
        launch: join(dir, 'launch.sh'),
        capability: join(dir, 'capability'),
        socket: join(runtime, `${id.slice(0, 14)}.sock`),
      };
    },
  };
}

/**
 * Makes a private folder, or refuses one that is not safely ours (S-21): a symlink, another owner's, or open to the
 * group or the world could be swapped under us. Throws AppError with what to do.
 */
export function privateFolder(path: string, uid: number = process.getuid?.() ?? 0): void {
  if (!isAbsolute(path)) {
    throw new AppError({
      code: 'bad-input',
      message: `The folder "${path}" is not an absolute path.`,
      hint: 'Set OFFDECK_HOME to an absolute path.',
    });
  }
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new AppError({
      code: 'bad-input',
      message: `Cannot make the folder ${path}: ${(cause as Error).message}`,
      hint: 'Check the path and its permissions, or set OFFDECK_HOME to another folder.',
      cause,
    });
  }
  const stat = lstatSync(path);
  const refuse = (why: string, hint: string): never => {
    throw new AppError({ code: 'bad-input', message: `Refusing to use ${path}: ${why}.`, hint });
  };
  if (stat.isSymbolicLink()) refuse('it is a symbolic link', 'Set OFFDECK_HOME to the real folder.');
  if (!stat.isDirectory())
    refuse('it is not a folder', 'Move it away or set OFFDECK_HOME to another folder.');
  if (stat.uid !== uid) refuse('it belongs to another user', 'Use a folder of your own.');
  if ((stat.mode & 0o077) !== 0) refuse('other users can get into it', `Run: chmod 700 ${path}`);
}

/** Narrows a file to the owner. */
export const privateFile = (path: string): void => chmodSync(path, 0o600);
