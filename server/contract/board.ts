import { z } from 'zod';
import { Message } from './message';
import { Need } from './need';
import { Project, Worktree } from './project';
import { Session } from './session';
import { VendorManifest } from './vendor';

/** Everything a board screen needs, at log position `seq`. */
export const BoardSnapshot = z.object({
  seq: z.number(),
  sessions: z.array(Session),
  needs: z.array(Need), // open ones, and those settled in the last minute (so a card can say by whom)
  messages: z.array(Message), // on their way, and those that arrived lately
  projects: z.array(Project),
  worktrees: z.array(Worktree),
  vendors: z.array(VendorManifest),
});
export type BoardSnapshot = z.infer<typeof BoardSnapshot>;

/**
 * What the feed yields. `snapshot` first (or when the cursor is older than the log); then whole changed rows, never
 * patches: a row that arrives twice is harmless, so a reconnect can never double anything.
 */
export type BoardUpdate =
  | { type: 'snapshot'; snapshot: BoardSnapshot }
  | { type: 'session'; session: Session }
  | { type: 'need'; need: Need }
  | { type: 'message'; message: Message }
  | { type: 'project'; project: Project }
  | { type: 'worktree'; worktree: Worktree };
