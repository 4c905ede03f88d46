import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { AppError } from '../contract';
import { readSmall } from '../platform';
import { type ConfigEntry, parseConfigList } from './config-list';
import { programWords, shown, trustedHooks } from './exec-surface';
import { fingerprintOf } from './fingerprint';
import { type GitRunner, lastWords, type Repository } from './runner';
import { listWorktrees } from './worktree-list';

export interface AddWorktree {
  repo: Repository;
  path: string; // absolute, must not exist
  branch: string; // new
  base: string; // a branch, tag or commit
  /** What the user trusted. Hooks and filters run here, so a repository that changed since is refused. */
  fingerprint: string;
}
export interface AddedWorktree {
  path: string; // real path
  branch: string;
  base: string;
  baseCommit: string;
  note: string | null; // the worktree is there, but a hook of the user's failed
}

const MAX_PROGRAM = 8 * 1024 * 1024;

/** True for a name git accepts for a branch. Ask before using it: refs never reach an argv unchecked (S-31). */
export async function isBranchName(git: GitRunner, name: string): Promise<boolean> {
  if (name === '' || name === 'HEAD' || name === '@' || name.startsWith('-') || name.includes('\0'))
    return false;
  return (await git.read(null, ['check-ref-format', `refs/heads/${name}`])).code === 0;
}

/** The full id of the commit a base names, or null. Only names and ids: no `main@{1}`, no `:/search`. */
export async function commitOf(git: GitRunner, repo: Repository, base: string): Promise<string | null> {
  if (base !== 'HEAD' && !(await isBranchName(git, base))) return null;
  const result = await git.read(repo, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${base}^{commit}`,
  ]);
  const id = result.stdout.toString('utf8').trim();
  return result.code === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : null;
}

/**
 * Makes a worktree with a new branch and records the commit it starts from. Runs the user's own hooks and filters.
 * Never deletes, prunes or overwrites: whatever is in the way is named in the AppError instead.
 */
export async function addWorktree(git: GitRunner, order: AddWorktree, home: string): Promise<AddedWorktree> {
  const { repo, path, branch, base } = order;
  if (!isAbsolute(path) || path.includes('\0')) throw new Error('a worktree needs an absolute path');
  if (!(await isBranchName(git, branch))) {
    throw new AppError({
      code: 'bad-input',
      message: `“${branch}” cannot be the name of a branch.`,
      hint: 'Use letters, digits, dashes and slashes; no spaces, no "..", no leading dash.',
    });
  }
  const baseCommit = await commitOf(git, repo, base);
  if (baseCommit === null) throw await baseMissing(git, repo, base);
  await refuseTaken(git, repo, branch);
  if (await lstat(path).catch(() => null)) {
    throw new AppError({
      code: 'conflict',
      message: `The folder ${path} exists already.`,
      hint: 'Choose another branch name, or move the folder away yourself.',
    });
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if ((await fingerprintOf(git, repo, home)) !== order.fingerprint) {
    throw new AppError({
      code: 'untrusted',
      message: 'What git would run in this repository changed since you trusted it.',
      hint: 'Look at it and trust the repository again.',
    });
  }
  const entries = parseConfigList((await git.read(repo, ['config'])).stdout);
  await refuseOtherPrograms(git, repo, entries, { name: base, commit: baseCommit });
  const hooks = trustedHooks(repo, entries);
  const made = await git.write(repo, [
    // The hooks the person trusted are those of the main checkout, not those of whatever the base holds.
    ...(hooks === null ? [] : ['-c', `core.hooksPath=${hooks}`]),
    'worktree',
    'add',
    '--no-track',
    '-b',
    branch,
    '--end-of-options',
    path,
    baseCommit,
  ]);
  let note: string | null = null;
  if (made.code !== 0) {
    // A failing post-checkout hook fails the command after everything was made; taking that for a failure would
    // leave a worktree nobody knows of, and its branch would block the next try.
    const real = await realpath(path).catch(() => null);
    const there =
      real && (await listWorktrees(git, repo)).find((tree) => tree.path === real && !tree.missing);
    if (!there || there.branch !== branch || there.commit !== baseCommit) {
      throw new AppError({
        code: 'conflict',
        message: `git could not make the worktree: ${lastWords(made.stderr)}`,
        hint: 'Nothing of yours was changed.',
      });
    }
    note = `The worktree was made, but a hook failed: ${lastWords(made.stderr)}`;
  }
  return { path: await realpath(path), branch, base, baseCommit, note };
}

/**
 * Refuses a base in which a program that the settings name by a relative path is another one than in the main
 * checkout: git would run the base's, and that one nobody was asked about.
 */
async function refuseOtherPrograms(
  git: GitRunner,
  repo: Repository,
  entries: readonly ConfigEntry[],
  base: { name: string; commit: string },
): Promise<void> {
  for (const word of programWords(entries)) {
    const there = await git.read(repo, ['cat-file', 'blob', `${base.commit}:${word}`]);
    if (there.code !== 0) continue; // no file of that name
    const path = join(repo.path, word);
    const trusted = await readSmall(path, MAX_PROGRAM);
    // A link may lead to a file that differs though the link itself does not.
    const plain = (await realpath(path).catch(() => null)) === path;
    if (plain && trusted?.equals(there.stdout)) continue;
    throw new AppError({
      code: 'untrusted',
      message: `“${shown(base.name)}” has another “${shown(word)}” than the one you trusted, and the settings of this repository make git run it.`,
      hint: 'Start from another branch, or make the worktree with git yourself and choose it here as an existing one.',
    });
  }
}

async function refuseTaken(git: GitRunner, repo: Repository, branch: string): Promise<void> {
  const listed = await git.read(repo, ['for-each-ref', '--format=%(refname)%00', 'refs/heads']);
  const names = listed.stdout
    .toString('utf8')
    .split('\0')
    .map((ref) => ref.trim().replace(/^refs\/heads\//, ''));
  if (names.includes(branch)) {
    const user = (await listWorktrees(git, repo)).find((tree) => tree.branch === branch);
    throw new AppError({
      code: 'conflict',
      message: `The branch “${branch}” exists already${user ? ` and is checked out in ${user.path}` : ''}.`,
      hint: user ? 'Choose another name, or use the existing worktree.' : 'Choose another name.',
    });
  }
  // Branches are paths: "a" and "a/b" cannot both be.
  const clash = names.find(
    (name) => name !== '' && (branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`)),
  );
  if (clash !== undefined) {
    throw new AppError({
      code: 'conflict',
      message: `“${branch}” cannot exist beside the branch “${clash}”.`,
      hint: 'Choose a name that does not begin with the other one and a slash.',
    });
  }
}

async function baseMissing(git: GitRunner, repo: Repository, base: string): Promise<AppError> {
  const main = (await listWorktrees(git, repo)).find((tree) => tree.main);
  return main?.commit === null
    ? new AppError({
        code: 'not-found',
        message: 'This repository has no commit yet, so there is nothing to start a branch from.',
        hint: 'Make a first commit, or work in the main checkout.',
      })
    : new AppError({
        code: 'not-found',
        message: `There is no branch, tag or commit “${base}” in this repository.`,
        hint: 'Choose a base from the list of branches.',
      });
}
