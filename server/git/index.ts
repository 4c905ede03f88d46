/**
 * Git: every git call of the host. Owns the one hardened runner, finding and inspecting repositories, branches,
 * worktrees, and the fingerprint of what a repository would run. Guarantees that a read runs nothing of the
 * repository's, and that `locate` and `risks` run no git at all. It must never delete, prune or overwrite, and never
 * decide about trust: the caller asks git about trusted repositories only.
 */
import { type Branches, listBranches } from './branches';
import { listFiles } from './files';
import { fingerprintChanges, fingerprintOf, type Risks, readRisks } from './fingerprint';
import { locateRepository } from './locate';
import { gitVersion, type Inspected, inspectRepository } from './repository';
import { createRunner, type GitDeps, type Repository } from './runner';
import { headOf, type ListedWorktree, listWorktrees } from './worktree-list';
import { type AddedWorktree, type AddWorktree, addWorktree } from './worktrees';

export interface Git {
  /** [major, minor]; throws AppError when git is missing or too old. */
  version(): Promise<[number, number]>;
  /** Finds the main checkout by names and small files only; no git runs. */
  locate(path: string): Promise<Repository>;
  /** What git would run in it, in sentences, by reading files; no git runs. */
  risks(repo: Repository): Promise<Risks>;
  inspect(path: string): Promise<Inspected>;
  fingerprint(repo: Repository): Promise<string>;
  branches(repo: Repository): Promise<Branches>;
  worktrees(repo: Repository): Promise<ListedWorktree[]>;
  headOf(repo: Repository, worktree: string): Promise<ListedWorktree | null>;
  /** Paths in a worktree that git does not ignore, tracked or not. */
  files(repo: Repository, worktree: string): Promise<string[]>;
  /** Runs the user's hooks and filters, unless they changed since `order.fingerprint`. */
  addWorktree(order: AddWorktree): Promise<AddedWorktree>;
}

export function createGit(deps: GitDeps): Git {
  const runner = createRunner(deps);
  const home = deps.env.HOME ?? '/';
  return {
    version: () => gitVersion(runner),
    locate: locateRepository,
    risks: (repo) => readRisks(repo, home),
    inspect: (path) => inspectRepository(runner, path),
    fingerprint: (repo) => fingerprintOf(runner, repo, home),
    branches: (repo) => listBranches(runner, repo),
    worktrees: (repo) => listWorktrees(runner, repo),
    headOf: (repo, worktree) => headOf(runner, repo, worktree),
    files: (repo, worktree) => listFiles(runner, repo, worktree),
    addWorktree: (order) => addWorktree(runner, order, home),
  };
}

export type { AddedWorktree, AddWorktree, Branches, GitDeps, Inspected, ListedWorktree, Repository, Risks };
export { fingerprintChanges };
