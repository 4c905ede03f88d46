import { realpathSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  AppError,
  type DomainEvent,
  type Project,
  ProjectId,
  type WorkplaceChoice,
  type Worktree,
  WorktreeId,
} from '../contract';
import { type Branches, fingerprintChanges, type Git, type ListedWorktree, type Repository } from '../git';
import { type Clock, newId } from '../platform';
import { absolutePath, browseFolder, type FolderPage, isInside } from './browse';
import type { ProjectReader } from './store';

export interface ProjectDeps {
  reader: ProjectReader;
  commit(events: DomainEvent[]): unknown;
  git: Git;
  clock: Pick<Clock, 'now'>;
  stateHome: string;
  userHome: string;
  /** Where new worktrees of a project go. */
  worktreesRoot?(project: Project): string;
}

export interface Projects {
  /** Folders in a folder; null is the user's home. No git runs. */
  browse(path: string | null): Promise<FolderPage>;
  /**
   * Registers the repository a folder belongs to, or returns it if known. `asked`: the question of trust is open,
   * because it is new or because what it would run changed since. No git runs before trust.
   */
  add(
    path: string,
  ): Promise<{ project: Project; trust: { asked: boolean; risks: string[]; digest: string } }>;
  /** The user's yes to what `add` listed, named by its digest: a yes to anything else is a `conflict`. */
  trust(id: ProjectId, digest: string): Promise<Project>;
  branches(id: ProjectId): Promise<Branches>;
  /** The worktrees there are now; ones made outside are adopted. Before trust: the known ones. */
  worktrees(id: ProjectId): Promise<Worktree[]>;
  /** Paths of the files in one of its worktrees that git does not ignore. Throws AppError. */
  files(id: ProjectId, worktree: string): Promise<string[]>;
  /** Makes or finds the folder a new session works in. */
  prepare(id: ProjectId, choice: WorkplaceChoice): Promise<Worktree>;
  /** Real path of the main checkout of a trusted project, else null. */
  trustedRoot(id: ProjectId): string | null;
}

const MAX_SUFFIX = 50;

export function createProjects(deps: ProjectDeps): Projects {
  const { reader, commit, git, clock, userHome } = deps;
  // git names real paths; ours must compare with them.
  const stateHome = realOrSame(deps.stateHome);
  // Not beside the user's repository: a sibling folder would show up in their own listings, backups and editors'
  // workspace searches, and may not be writable. The state folder is ours, and one place to find all of them.
  const worktreesRoot =
    deps.worktreesRoot ??
    ((project: Project) => join(stateHome, 'worktrees', `${slug(project.name)}-${project.id.slice(0, 6)}`));
  const queues = new Map<ProjectId, Promise<unknown>>();

  /** One change of a project at a time: two new sessions must not choose the same folder. */
  const inOrder = <T>(id: ProjectId, work: () => Promise<T>): Promise<T> => {
    const turn = (queues.get(id) ?? Promise.resolve()).then(work, work);
    queues.set(
      id,
      turn.catch(() => {}),
    );
    return turn;
  };

  const must = (id: ProjectId): Project => {
    const project = reader.get(id);
    if (!project) {
      throw new AppError({
        code: 'not-found',
        message: 'There is no such project.',
        hint: 'Add the repository first.',
      });
    }
    return project;
  };
  const mustTrusted = (id: ProjectId): Project => {
    const project = must(id);
    if (!project.trusted) {
      throw new AppError({
        code: 'untrusted',
        message: `“${project.name}” is not trusted yet, so nothing is run in it.`,
        hint: 'Look at what it would run and trust it first.',
      });
    }
    return project;
  };

  /** The repository of a known project. Refuses a path that now leads somewhere else. */
  const repositoryOf = async (project: Project): Promise<Repository> => {
    const repo = await git.locate(project.path);
    if (repo.path !== project.path) {
      throw new AppError({
        code: 'conflict',
        message: `${project.path} now belongs to the repository ${repo.path}.`,
        hint: 'Add that repository as a project of its own.',
      });
    }
    return repo;
  };

  const changesSinceTrust = async (project: Project, repo: Repository): Promise<string[]> =>
    fingerprintChanges(reader.fingerprint(project.id) ?? '', await git.fingerprint(repo));

  const record = (
    project: Project,
    tree: Pick<Worktree, 'path' | 'branch' | 'base' | 'baseCommit' | 'kind'>,
  ): Worktree => {
    // A folder made again at a known place keeps its id, so sessions of before still find it.
    const known = reader.worktreesOf(project.id).find(({ path }) => path === tree.path);
    return {
      id: known?.id ?? WorktreeId.parse(newId()),
      projectId: project.id,
      created: clock.now(),
      ...tree,
    };
  };

  /** Facts that bring our record up to what git says is there. */
  const catchUp = (project: Project, listed: readonly ListedWorktree[]): DomainEvent[] => {
    const known = new Set(reader.worktreesOf(project.id).map(({ path }) => path));
    const events: DomainEvent[] = [];
    for (const tree of listed) {
      if (known.has(tree.path) || tree.missing) continue;
      // Ours without a record: the host ended between making it and writing that down.
      const ours = isInside(tree.path, worktreesRoot(project));
      const kind = tree.main ? 'main' : ours ? 'ours' : 'adopted';
      events.push({
        type: 'worktree.added',
        worktree: record(project, {
          path: tree.path,
          branch: tree.branch,
          base: null,
          baseCommit: null,
          kind,
        }),
      });
    }
    const main = listed.find((tree) => tree.main);
    if (main && main.branch !== project.branch) {
      events.push({ type: 'project.branch-seen', projectId: project.id, branch: main.branch });
    }
    return events;
  };

  const refresh = async (project: Project): Promise<Worktree[]> => {
    const listed = await git.worktrees(await repositoryOf(project));
    const events = catchUp(project, listed);
    if (events.length > 0) commit(events);
    const now = new Map(listed.filter((tree) => !tree.missing).map((tree) => [tree.path, tree]));
    // The branch is git's to say and may change at any time; it is read, not mirrored.
    return reader
      .worktreesOf(project.id)
      .filter(({ path }) => now.has(path))
      .map((tree) => ({ ...tree, branch: now.get(tree.path)?.branch ?? null }));
  };

  const makeNew = async (
    project: Project,
    choice: Extract<WorkplaceChoice, { type: 'new' }>,
  ): Promise<Worktree> => {
    const repo = await repositoryOf(project);
    const changes = await changesSinceTrust(project, repo);
    if (changes.length > 0) {
      throw new AppError({
        code: 'untrusted',
        message: `What git would run in “${project.name}” changed since you trusted it: ${list(changes)}`,
        hint: 'If these changes are yours, trust the repository again.',
      });
    }
    const path = await freePath(join(worktreesRoot(project), slug(choice.branch)));
    const made = await git.addWorktree({
      repo,
      path,
      branch: choice.branch,
      base: choice.base,
      fingerprint: reader.fingerprint(project.id) ?? '',
    });
    const worktree = record(project, {
      path: made.path,
      branch: made.branch,
      base: made.base,
      baseCommit: made.baseCommit,
      kind: 'ours',
    });
    commit([{ type: 'worktree.added', worktree }]);
    return worktree;
  };

  const findExisting = async (
    project: Project,
    choice: Exclude<WorkplaceChoice, { type: 'new' }>,
  ): Promise<Worktree> => {
    const trees = await refresh(project);
    const found =
      choice.type === 'main'
        ? trees.find(({ kind }) => kind === 'main')
        : trees.find(({ id }) => id === choice.worktreeId);
    if (found && (await isFolder(found.path))) return found;
    const record = choice.type === 'existing' ? reader.worktree(choice.worktreeId) : null;
    throw new AppError({
      code: 'not-found',
      message: record ? `The worktree ${record.path} is not there any more.` : 'There is no such worktree.',
      hint: 'Choose another one, or make a new one.',
    });
  };

  return {
    browse: (path) =>
      Promise.resolve().then(() =>
        browseFolder(path === null ? userHome : absolutePath(path, userHome), { stateHome }),
      ),

    async add(path) {
      const repo = await git.locate(absolutePath(path, userHome));
      if (isInside(repo.path, stateHome)) {
        throw new AppError({
          code: 'not-allowed',
          message: 'This is inside Offdeck’s own folder and cannot be a project.',
          hint: 'Choose a repository of your own.',
        });
      }
      let project = reader.byPath(repo.path);
      if (!project) {
        project = {
          id: ProjectId.parse(newId()),
          name: basename(repo.path) || repo.path,
          path: repo.path,
          branch: null,
          trusted: false,
          created: clock.now(),
        };
        commit([{ type: 'project.added', project }]);
      }
      const asked = !project.trusted || (await changesSinceTrust(project, repo)).length > 0;
      const { sentences, digest } = await git.risks(repo);
      return { project, trust: { asked, risks: sentences, digest } };
    },

    trust: (id, digest) =>
      inOrder(id, async () => {
        const project = must(id);
        const repo = await repositoryOf(project);
        // Between the question and the answer an agent may have added a hook; the yes was not about that. Looked at
        // again after the fingerprint is taken, so that nothing slips in between the two.
        const still = async () => {
          if ((await git.risks(repo)).digest === digest) return;
          throw new AppError({
            code: 'conflict',
            message: 'What git would run here is not what you were shown any more.',
            hint: 'Look at the list again before you trust it.',
          });
        };
        await still();
        const inspected = await git.inspect(project.path);
        const fingerprint = await git.fingerprint(inspected.repo);
        await still();
        const { branch } = inspected.head;
        const events: DomainEvent[] = [
          { type: 'project.trusted', projectId: id, fingerprint },
          ...catchUp(project, await git.worktrees(inspected.repo)),
        ];
        if (!events.some(({ type }) => type === 'project.branch-seen')) {
          events.push({ type: 'project.branch-seen', projectId: id, branch });
        }
        commit(events);
        return must(id);
      }),

    branches: async (id) => git.branches(await repositoryOf(mustTrusted(id))),

    worktrees: async (id) => {
      const project = must(id);
      if (!project.trusted) return reader.worktreesOf(id);
      return inOrder(id, () => refresh(must(id)));
    },

    files: async (id, worktree) => git.files(await repositoryOf(mustTrusted(id)), worktree),

    prepare: async (id, choice) => {
      mustTrusted(id);
      return inOrder(id, () => {
        const project = mustTrusted(id);
        return choice.type === 'new' ? makeNew(project, choice) : findExisting(project, choice);
      });
    },

    trustedRoot: (id) => {
      const project = reader.get(id);
      return project?.trusted ? project.path : null;
    },
  };
}

/** A folder's name from any text: letters, digits, dot and dash; never hidden, never long. */
export const slug = (text: string): string =>
  // By characters: half of one would become another name on the disk than in our record.
  [
    ...text
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+/, ''),
  ]
    .slice(0, 60)
    .join('')
    .replace(/[.-]+$/, '') || 'worktree';

const list = (changes: readonly string[]): string =>
  changes.slice(0, 6).join(' ') + (changes.length > 6 ? ` And ${changes.length - 6} more.` : '');

const realOrSame = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isDirectory() ?? false;

/** The first of `x`, `x-2`, `x-3`… that is free: two branches may have the same slug. */
async function freePath(wanted: string): Promise<string> {
  for (let i = 1; i <= MAX_SUFFIX; i++) {
    const path = i === 1 ? wanted : `${wanted}-${i}`;
    if (!(await lstat(path).catch(() => null))) return path;
  }
  throw new AppError({
    code: 'conflict',
    message: `There are too many folders named like ${wanted}.`,
    hint: 'Choose another branch name.',
  });
}
