import { z } from 'zod';

/** Paths in a worktree, relative to it, best match first; a folder ends with "/". */
export const FoundFiles = z.object({
  paths: z.array(z.string()),
  more: z.boolean(), // true: others match too
});
export type FoundFiles = z.infer<typeof FoundFiles>;
