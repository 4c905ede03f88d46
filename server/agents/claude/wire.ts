import { z } from 'zod';

/** What we use of a hook's payload; unknown fields and events are the vendor's business (2.1.197). */
export const Hook = z.object({
  session_id: z.string().nullish(),
  cwd: z.string().nullish(), // of the shell the tools run in; it moves with `cd`
  agent_id: z.string().nullish(), // set inside a subagent
  tool_name: z.string().nullish(),
  tool_input: z.record(z.string(), z.unknown()).nullish(),
  prompt: z.string().nullish(),
  permission_suggestions: z.array(z.unknown()).nullish(),
  error: z.string().nullish(),
  reason: z.string().nullish(),
  last_assistant_message: z.string().nullish(),
  background_tasks: z.array(z.unknown()).nullish(),
});
export type Hook = z.infer<typeof Hook>;

const Window = z.object({ used_percentage: z.number(), resets_at: z.number().nullish() }).nullish();
export const StatusLine = z.object({
  model: z.object({ display_name: z.string().nullish() }).nullish(),
  context_window: z.object({ used_percentage: z.number().nullish() }).nullish(),
  rate_limits: z.object({ five_hour: Window, seven_day: Window }).nullish(),
});
export type StatusLine = z.infer<typeof StatusLine>;

/** `$CLAUDE_CONFIG_DIR/sessions/<pid>.json`: undocumented, so read with care (2.1.197). */
export const SessionFile = z.object({
  pid: z.number(),
  status: z.enum(['idle', 'busy', 'waiting']),
  waitingFor: z.string().nullish(),
  statusUpdatedAt: z.number().nullish(), // ms since epoch
});
export type SessionFile = z.infer<typeof SessionFile>;
