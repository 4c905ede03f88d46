import { AppError } from '../contract';
import { type GitRunner, lastWords, type Repository } from './runner';
import { listWorktrees } from './worktree-list';

export interface Branch {
  name: string;
  commit: string; // short
  remote: boolean;
}
export interface Branches {
  current: string | null;
  head: string | null;
  branches: Branch[];
}

const MAX_BRANCHES = 5_000;

/** Local branches, then remote ones, each newest first. */
export async function listBranches(git: GitRunner, repo: Repository): Promise<Branches> {
  const result = await git.read(repo, [
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${MAX_BRANCHES}`,
    '--format=%(refname)%00%(objectname:short)%00%(symref)%00',
    'refs/heads',
    'refs/remotes',
  ]);
  if (result.code !== 0) {
    throw new AppError({
      code: 'bad-input',
      message: `git cannot list the branches of ${repo.path}: ${lastWords(result.stderr)}`,
    });
  }
  const fields = result.stdout.toString('utf8').split('\0');
  const branches: Branch[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const ref = (fields[i] as string).replace(/^\n/, '');
    const commit = fields[i + 1] as string;
    // `origin/HEAD` only points to another of the list.
    if (fields[i + 2] !== '' || ref.includes('\uFFFD')) continue;
    if (ref.startsWith('refs/heads/')) branches.push({ name: ref.slice(11), commit, remote: false });
    else branches.push({ name: ref.slice(13), commit, remote: true });
  }
  branches.sort((a, b) => Number(a.remote) - Number(b.remote));
  const main = (await listWorktrees(git, repo)).find((tree) => tree.main);
  return { current: main?.branch ?? null, head: main?.commit?.slice(0, 12) ?? null, branches };
}
