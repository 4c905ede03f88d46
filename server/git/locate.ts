import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../contract';
import { readSmall } from '../platform';
import { parseConfigText } from './config-text';
import { folderGone, type Repository } from './runner';

const MAX_POINTER = 8 * 1024;

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};
const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};

/** True for a folder laid out as git lays out its own. */
export const isGitFolder = async (path: string): Promise<boolean> =>
  (await isThere(join(path, 'HEAD'))) &&
  (await isFolder(join(path, 'objects'))) &&
  (await isFolder(join(path, 'refs')));

/**
 * Finds the repository a folder belongs to by looking at names and small files only: no git runs, because before
 * trust a single `git status` may run a program of the repository's choosing (S-33). A linked worktree leads to its
 * main checkout. Throws AppError when there is none, or one without a checkout.
 */
export async function locateRepository(path: string): Promise<Repository> {
  let start: string;
  try {
    start = await realpath(path);
  } catch (cause) {
    throw folderGone(path, cause);
  }
  if (!(await isFolder(start))) {
    throw new AppError({ code: 'bad-input', message: `${path} is not a folder.`, hint: 'Choose a folder.' });
  }
  for (let folder = start; ; folder = dirname(folder)) {
    const dot = join(folder, '.git');
    if (await isGitFolder(dot)) return withCheckout({ path: folder, gitDir: await realpath(dot) });
    const pointer = await readSmall(dot, MAX_POINTER);
    if (pointer) return followPointer(folder, pointer.toString('utf8'));
    if (await isGitFolder(folder)) throw bareRepository(folder);
    if (dirname(folder) === folder) break;
  }
  throw notARepository(path);
}

async function followPointer(folder: string, text: string): Promise<Repository> {
  const target = /^gitdir: (.+?)\n?$/s.exec(text)?.[1];
  const gitDir = target === undefined ? null : await real(resolve(folder, target));
  if (gitDir === null) {
    throw new AppError({
      code: 'bad-input',
      message: `The file ${join(folder, '.git')} points to a git folder that is not there.`,
      hint: 'The main repository may have been moved. Running "git worktree repair" in it can mend this.',
    });
  }
  const common = await readSmall(join(gitDir, 'commondir'), MAX_POINTER);
  if (!common) return { path: folder, gitDir }; // a submodule, or a git folder kept elsewhere
  const commonDir = await real(resolve(gitDir, common.toString('utf8').replace(/\n$/, '')));
  if (commonDir === null) throw notARepository(folder);
  if (basename(commonDir) !== '.git') throw bareRepository(commonDir);
  return withCheckout({ path: dirname(commonDir), gitDir: commonDir });
}

const real = async (path: string): Promise<string | null> => realpath(path).catch(() => null);

async function withCheckout(repo: Repository): Promise<Repository> {
  const text = await readSmall(join(repo.gitDir, 'config'));
  const bare = text
    ? parseConfigText(text.toString('utf8')).entries.findLast(({ key }) => key === 'core.bare')
    : undefined;
  if (bare && /^(true|yes|on|1)$/i.test(bare.value)) throw bareRepository(repo.gitDir);
  return repo;
}

export const notARepository = (path: string): AppError =>
  new AppError({
    code: 'bad-input',
    message: `${path} is not in a git repository.`,
    hint: 'Choose a folder with a repository, or run "git init" in it first.',
  });

export const bareRepository = (path: string): AppError =>
  new AppError({
    code: 'bad-input',
    message: `${path} is a bare repository: it has no files to work on.`,
    hint: 'Choose a clone of it that has a checkout.',
  });
