import { AppError } from '../contract';
import { type GitRunner, lastWords, type Repository } from './runner';

export interface ListedWorktree {
  path: string;
  branch: string | null;
  commit: string | null; // null: no commit yet
  detached: boolean;
  main: boolean;
  missing: boolean; // its folder is gone; git keeps the entry until somebody prunes it
}

/** All worktrees, the main checkout first. Reads only. */
export async function listWorktrees(git: GitRunner, repo: Repository): Promise<ListedWorktree[]> {
  let result = await git.read(repo, ['worktree', '--porcelain', '-z']);
  let separator = '\0';
  if (result.code === 129) {
    // git before 2.36 has no -z here. Its plain form is right for every name without a line break.
    result = await git.read(repo, ['worktree', '--porcelain']);
    separator = '\n';
  }
  if (result.code !== 0) {
    throw new AppError({
      code: 'bad-input',
      message: `git cannot list the worktrees of ${repo.path}: ${lastWords(result.stderr)}`,
      hint: 'Check that the repository is still there and readable.',
    });
  }
  return parseWorktrees(result.stdout.toString('utf8'), separator, repo.path);
}

/** Parses the porcelain form: one attribute a record, an empty record after each worktree. */
export function parseWorktrees(text: string, separator: string, mainPath: string): ListedWorktree[] {
  const out: ListedWorktree[] = [];
  for (const line of text.split(separator)) {
    const cut = line.indexOf(' ');
    const name = cut < 0 ? line : line.slice(0, cut);
    const value = cut < 0 ? '' : line.slice(cut + 1);
    if (name === 'worktree') {
      // The first entry is derived from the git folder's place and is wrong when that lies elsewhere; we know better.
      const main = out.length === 0;
      const path = main ? mainPath : value;
      out.push({ path, branch: null, commit: null, detached: false, main, missing: false });
      continue;
    }
    const tree = out.at(-1);
    if (!tree) continue;
    if (name === 'HEAD') tree.commit = /^0+$/.test(value) ? null : value;
    else if (name === 'branch') tree.branch = value.replace(/^refs\/heads\//, '');
    else if (name === 'detached') tree.detached = true;
    else if (name === 'prunable') tree.missing = true;
  }
  // A name that is not valid UTF-8 cannot be opened again from a string; showing it would only lead to an error.
  return out.filter((tree) => !tree.path.includes('\uFFFD'));
}

/** What a worktree has checked out now, or null when git does not know the folder. */
export async function headOf(
  git: GitRunner,
  repo: Repository,
  worktree: string,
): Promise<ListedWorktree | null> {
  return (await listWorktrees(git, repo)).find((tree) => tree.path === worktree) ?? null;
}
