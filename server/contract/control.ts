import { z } from 'zod';
import { Session } from './session';
import { Check, Detection } from './vendor';

/**
 * What the `offdeck` command says to the running host over the control socket: one JSON line each way. Possession of
 * the socket (0600 in a 0700 folder) is the owner's right; there is no verb that types or answers.
 */
export const ControlRequest = z.object({ cmd: z.enum(['ping', 'open', 'status', 'doctor', 'stop']) });
export type ControlRequest = z.infer<typeof ControlRequest>;

export const HostStatus = z.object({
  version: z.string(),
  port: z.number(),
  sessions: z.array(
    z.object({
      ...Session.pick({ id: true, name: true, vendor: true, kind: true, state: true, since: true }).shape,
      project: z.string().nullable(), // the project's name
      worktree: z.string().nullable(), // the folder it works in
      needs: z.number(), // how many requests wait for the person
    }),
  ),
});
export type HostStatus = z.infer<typeof HostStatus>;

/** What `doctor` knows: the preflight, what the host adds about itself, and the CLIs found. No secrets. */
export const HostReport = z.object({ checks: z.array(Check), vendors: z.array(Detection) });
export type HostReport = z.infer<typeof HostReport>;

export const ControlReply = {
  ping: z.object({ pid: z.number(), version: z.string() }),
  open: z.object({ url: z.string() }),
  status: z.object({ status: HostStatus }),
  doctor: z.object({ report: HostReport }),
  stop: z.object({}),
} as const satisfies Record<ControlRequest['cmd'], z.ZodType>;
