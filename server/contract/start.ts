import { z } from 'zod';
import { ProjectId, VendorId, WorktreeId } from './ids';
import { Mode } from './session';

/** Where a new session works. `new` makes a worktree and a branch from `base` (a ref of the repository). */
export const WorkplaceChoice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('new'), branch: z.string().min(1).max(200), base: z.string().min(1).max(300) }),
  z.object({ type: z.literal('existing'), worktreeId: WorktreeId }),
  z.object({ type: z.literal('main') }),
]);
export type WorkplaceChoice = z.infer<typeof WorkplaceChoice>;

export const StartSession = z.object({
  vendor: VendorId, // 'terminal' starts the user's shell
  projectId: ProjectId,
  workplace: WorkplaceChoice,
  mode: Mode,
  permission: z.string().max(60),
  prompt: z.string().max(200_000),
  name: z.string().max(80).optional(),
  cols: z.number().int().min(20).max(500).optional(),
  rows: z.number().int().min(5).max(300).optional(),
});
export type StartSession = z.infer<typeof StartSession>;
