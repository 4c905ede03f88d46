import { realpath } from 'node:fs/promises';
import { AppError } from '../contract';
import { bareRepository, locateRepository, notARepository } from './locate';
import { folderGone, type GitRunner, lastWords, type Repository } from './runner';
import { listWorktrees } from './worktree-list';

export interface Head {
  branch: string | null; // null: detached
  commit: string | null; // null: no commit yet (unborn)
  detached: boolean;
  unborn: boolean;
}
export interface Inspected {
  repo: Repository;
  /** The linked worktree the asked folder is in; null when it is in the main checkout. */
  worktree: string | null;
  head: Head; // of the main checkout
}

const MIN_GIT = [2, 31] as const;

/** The version as numbers. Throws AppError when git is missing or too old for the options we rely on. */
export async function gitVersion(git: GitRunner): Promise<[number, number]> {
  const { stdout } = await git.read(null, ['version']);
  const match = /version (\d+)\.(\d+)/.exec(stdout.toString('utf8'));
  const major = Number(match?.[1] ?? 0);
  const minor = Number(match?.[2] ?? 0);
  if (major < MIN_GIT[0] || (major === MIN_GIT[0] && minor < MIN_GIT[1])) {
    throw new AppError({
      code: 'missing-tool',
      message: `git ${major}.${minor} is too old; ${MIN_GIT.join('.')} or newer is needed.`,
      hint: 'Update git and try again.',
    });
  }
  return [major, minor];
}

/**
 * Asks git about the repository a folder is in. Only for repositories the user trusts: git runs, though nothing of
 * the repository's does. Throws AppError for every state in which no work is possible, with what to do about it.
 */
export async function inspectRepository(git: GitRunner, path: string): Promise<Inspected> {
  const start = await realpath(path).catch((cause: unknown) => {
    throw folderGone(path, cause);
  });
  await gitVersion(git);
  const located = await locateRepository(start);
  // The one call that lets git discover by itself: only then does it check who owns the folder.
  const toplevel = await revParse(git, start, '--show-toplevel');
  const common = await revParse(git, start, '--git-common-dir');
  if ((await realpath(common).catch(() => common)) !== located.gitDir) {
    throw new AppError({
      code: 'bad-input',
      message: `The repository of ${path} is laid out in a way Offdeck does not understand.`,
      hint: `git says its folder is ${common}, its files say ${located.gitDir}.`,
    });
  }
  const main = (await listWorktrees(git, located)).find((tree) => tree.main);
  if (!main) throw notARepository(path);
  return {
    repo: located,
    worktree: toplevel === located.path ? null : toplevel,
    head: { branch: main.branch, commit: main.commit, detached: main.detached, unborn: main.commit === null },
  };
}

/** One path from rev-parse. One at a time: its output has no separator that a folder's name cannot hold. */
async function revParse(git: GitRunner, cwd: string, what: string): Promise<string> {
  const result = await git.read(null, ['rev-parse', '--path-format=absolute', what], { cwd });
  if (result.code === 0) return result.stdout.toString('utf8').replace(/\n$/, '');
  const said = result.stderr;
  if (/dubious ownership|safe\.directory/.test(said)) {
    throw new AppError({
      code: 'not-allowed',
      message: `git refuses ${cwd}: the folder belongs to another user.`,
      hint: `If you trust it, run: git config --global --add safe.directory '${cwd.replaceAll("'", "'\\''")}'`,
    });
  }
  if (/bare repository|must be run in a work tree/.test(said)) throw bareRepository(cwd);
  if (/not a git repository/.test(said)) throw notARepository(cwd);
  throw new AppError({
    code: 'bad-input',
    message: `git cannot read the repository of ${cwd}: ${lastWords(said)}`,
  });
}
