import { z } from 'zod';
import { ProjectId, WorktreeId } from './ids';

export const Project = z.object({
  id: ProjectId,
  name: z.string(),
  path: z.string(), // real path of the repository's main checkout
  branch: z.string().nullable(), // branch of the main checkout when last looked
  trusted: z.boolean(),
  created: z.number(),
});
export type Project = z.infer<typeof Project>;

export const Worktree = z.object({
  id: WorktreeId,
  projectId: ProjectId,
  path: z.string(),
  branch: z.string().nullable(), // null: detached
  base: z.string().nullable(), // the ref it was made from, e.g. "main"
  baseCommit: z.string().nullable(),
  kind: z.enum(['main', 'ours', 'adopted']),
  created: z.number(),
});
export type Worktree = z.infer<typeof Worktree>;
