import { z } from 'zod';
import { ProjectId, SessionId, VendorId, WorktreeId } from './ids';
import { Evidence, SessionState } from './state';

export const SessionKind = z.enum(['agent', 'terminal']);
export type SessionKind = z.infer<typeof SessionKind>;

/** Build changes files; Planner only plans. A vendor lists in its manifest which modes it has. */
export const Mode = z.enum(['build', 'planner']);
export type Mode = z.infer<typeof Mode>;

/** One window of a limit as the vendor's own CLI reports it. */
export const QuotaWindow = z.object({
  label: z.string(), // "5 hours", "7 days"
  usedPct: z.number(),
  resetsAt: z.number().nullable(), // ms since epoch
});
export const Quota = z.object({ windows: z.array(QuotaWindow), at: z.number(), source: z.string() });
export type Quota = z.infer<typeof Quota>;

/** The projection of a session: what the board shows and what survives a restart. */
export const Session = z.object({
  id: SessionId,
  name: z.string(),
  kind: SessionKind,
  vendor: VendorId,
  projectId: ProjectId.nullable(),
  worktreeId: WorktreeId.nullable(),
  cwd: z.string(),
  mode: Mode,
  permission: z.string(), // one of the vendor manifest's permission modes
  prompt: z.string(), // the first prompt, empty for none
  promptKept: z.boolean(), // true until the CLI was seen to accept the first prompt
  state: SessionState,
  since: z.number(),
  reason: z.string().nullable(), // one sentence for error, limit, exited
  resetsAt: z.number().nullable(), // for limit
  evidence: z.array(Evidence),
  contextPct: z.number().nullable(),
  model: z.string().nullable(),
  recap: z.string().nullable(),
  activity: z.array(z.string()), // last lines of what it did, oldest first, at most 4
  quota: Quota.nullable(),
  vendorSession: z.string().nullable(), // the vendor's own conversation id, for resume
  pane: z.string().nullable(), // tmux pane id while it lives
  exitCode: z.number().nullable(),
  resumable: z.boolean(),
  created: z.number(),
  ended: z.number().nullable(),
  archived: z.boolean().default(false), // off the board; still in the history
});
export type Session = z.infer<typeof Session>;
