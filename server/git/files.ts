import { dirname, join, resolve } from 'node:path';
import { AppError } from '../contract';
import { readSmall } from '../platform';
import { type GitRunner, lastWords, type Repository } from './runner';

const MAX_POINTER = 8 * 1024;
const MAX_LIST = 128 * 1024 * 1024;
const LIST_TIMEOUT_MS = 60_000;

/**
 * Paths of the files in a worktree that git does not ignore, tracked or not, relative to it and with "/" between.
 * Reads only. Throws AppError when the worktree is not one of this repository or git cannot list it.
 */
export async function listFiles(git: GitRunner, repo: Repository, worktree: string): Promise<string[]> {
  const place = await placeOf(repo, worktree);
  const list = async (...args: string[]) => {
    const result = await git.read(place, ['ls-files', '-z', ...args], {
      maxBytes: MAX_LIST,
      timeoutMs: LIST_TIMEOUT_MS,
    });
    if (result.code !== 0) {
      throw new AppError({
        code: 'bad-input',
        message: `git cannot list the files of ${worktree}: ${lastWords(result.stderr)}`,
      });
    }
    // A name that is not valid UTF-8 cannot be said back as text.
    return result.stdout
      .toString('utf8')
      .split('\0')
      .filter((path) => path !== '' && !path.includes('\uFFFD'));
  };
  const [there, deleted] = await Promise.all([
    list('--cached', '--others', '--exclude-standard', '--deduplicate'),
    list('--deleted'),
  ]);
  const gone = new Set(deleted);
  return there.filter((path) => !gone.has(path));
}

/** The worktree with its own git folder, which holds its index; only one that belongs to this very repository. */
async function placeOf(repo: Repository, worktree: string): Promise<Repository> {
  if (worktree === repo.path) return repo;
  const pointer = await readSmall(join(worktree, '.git'), MAX_POINTER);
  const target = pointer && /^gitdir: (.+?)\n?$/s.exec(pointer.toString('utf8'))?.[1];
  const gitDir = target ? resolve(worktree, target) : null;
  if (gitDir === null || dirname(gitDir) !== join(repo.gitDir, 'worktrees')) {
    throw new AppError({
      code: 'not-found',
      message: `${worktree} is no worktree of ${repo.path}.`,
      hint: 'Its folder may have been moved or deleted.',
    });
  }
  return { path: worktree, gitDir };
}
