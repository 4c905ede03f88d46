import { and, eq, ne } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { projects, worktrees } from '../../db/schema/projections';
import type { LoggedEvent, Project, Worktree } from '../contract';
import type { Projection } from '../log';

const readProject = (row: { body: string }): Project => JSON.parse(row.body) as Project;
const readWorktree = (row: { body: string }): Worktree => JSON.parse(row.body) as Worktree;

const getProject = (db: Db, id: string): Project | null => {
  const row = db.select().from(projects).where(eq(projects.id, id)).get();
  return row ? readProject(row) : null;
};

const apply = (db: Db, { event }: LoggedEvent): void => {
  switch (event.type) {
    case 'project.added': {
      const { project } = event;
      db.insert(projects)
        .values({ id: project.id, path: project.path, fingerprint: null, body: JSON.stringify(project) })
        .run();
      return;
    }
    case 'project.trusted':
    case 'project.branch-seen': {
      const before = getProject(db, event.projectId);
      if (!before) return;
      const trusted = event.type === 'project.trusted';
      const after: Project = trusted ? { ...before, trusted: true } : { ...before, branch: event.branch };
      db.update(projects)
        .set({ body: JSON.stringify(after), ...(trusted ? { fingerprint: event.fingerprint } : {}) })
        .where(eq(projects.id, before.id))
        .run();
      if (trusted) return;
      // The main checkout is a worktree too; two rows must not name different branches for one folder.
      for (const tree of worktreesOf(db, before.id)) {
        if (tree.kind !== 'main') continue;
        const body = JSON.stringify({ ...tree, branch: event.branch });
        db.update(worktrees).set({ body }).where(eq(worktrees.id, tree.id)).run();
      }
      return;
    }
    case 'worktree.added': {
      const { worktree } = event;
      // A folder may be made again after it was removed outside; the newest fact about a path wins.
      db.delete(worktrees)
        .where(and(eq(worktrees.path, worktree.path), ne(worktrees.id, worktree.id)))
        .run();
      const row = {
        projectId: worktree.projectId,
        path: worktree.path,
        body: JSON.stringify(worktree),
      };
      db.insert(worktrees)
        .values({ id: worktree.id, ...row })
        .onConflictDoUpdate({ target: worktrees.id, set: row })
        .run();
      return;
    }
    default:
      return;
  }
};

const worktreesOf = (db: Db, projectId: string): Worktree[] =>
  db.select().from(worktrees).where(eq(worktrees.projectId, projectId)).all().map(readWorktree);

export const projectsProjection: Projection = {
  name: 'projects',
  clear: (db) => {
    db.delete(worktrees).run();
    db.delete(projects).run();
  },
  apply,
};

export interface ProjectReader {
  get(id: string): Project | null;
  byPath(path: string): Project | null;
  all(): Project[];
  /** What the user trusted; null before the first time. */
  fingerprint(id: string): string | null;
  worktree(id: string): Worktree | null;
  worktreesOf(projectId: string): Worktree[];
  allWorktrees(): Worktree[];
}

export const projectReader = (db: Db): ProjectReader => ({
  get: (id) => getProject(db, id),
  byPath: (path) => {
    const row = db.select().from(projects).where(eq(projects.path, path)).get();
    return row ? readProject(row) : null;
  },
  all: () => db.select().from(projects).all().map(readProject),
  fingerprint: (id) => db.select().from(projects).where(eq(projects.id, id)).get()?.fingerprint ?? null,
  worktree: (id) => {
    const row = db.select().from(worktrees).where(eq(worktrees.id, id)).get();
    return row ? readWorktree(row) : null;
  },
  worktreesOf: (projectId) => worktreesOf(db, projectId),
  allWorktrees: () => db.select().from(worktrees).all().map(readWorktree),
});
