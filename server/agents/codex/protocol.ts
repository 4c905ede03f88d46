import { z } from 'zod';

/**
 * The parts of the app-server's protocol that we read, as sent by codex-cli 0.171. Everything else passes unread, so
 * a newer server with more members is no problem; one that changed these is noticed here.
 */
export const Envelope = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string() }).optional(),
});

const Change = z.object({
  path: z.string(),
  kind: z.object({ type: z.string(), move_path: z.string().nullish() }),
  diff: z.string(),
});
export type Change = z.infer<typeof Change>;

export const Item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('userMessage'), id: z.string(), clientId: z.string().nullish() }),
  z.object({ type: z.literal('agentMessage'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('plan'), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal('commandExecution'),
    id: z.string(),
    command: z.string(),
    processId: z.string().nullish(),
    status: z.string(),
    exitCode: z.number().nullish(),
  }),
  z.object({ type: z.literal('fileChange'), id: z.string(), changes: z.array(Change), status: z.string() }),
  z.object({ type: z.literal('mcpToolCall'), id: z.string(), server: z.string(), tool: z.string() }),
  z.object({ type: z.literal('webSearch'), id: z.string(), query: z.string().nullish() }),
  z.object({ type: z.literal('contextCompaction'), id: z.string() }),
]);
export type Item = z.infer<typeof Item>;

/** Kinds of items that we do not know are left out, not refused. */
const Items = z
  .array(z.unknown())
  .transform((list) => list.flatMap((item) => Item.safeParse(item).data ?? []));

export const TurnError = z.object({
  message: z.string(),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: z.string().nullish(),
});
export type TurnError = z.infer<typeof TurnError>;

export const Turn = z.object({
  id: z.string(),
  items: Items,
  status: z.enum(['completed', 'interrupted', 'failed', 'inProgress']),
  error: TurnError.nullish(),
  completedAt: z.number().nullish(),
});
export type Turn = z.infer<typeof Turn>;

export const ThreadStatus = z.object({
  type: z.string(),
  activeFlags: z.array(z.string()).optional(),
});
export type ThreadStatus = z.infer<typeof ThreadStatus>;

export const StartReply = z.object({ thread: z.object({ id: z.string() }), model: z.string() });

export const ResumeReply = z.object({
  thread: z.object({ id: z.string(), status: ThreadStatus }),
  model: z.string(),
  initialTurnsPage: z.object({ data: z.array(Turn) }).nullish(),
});
export type ResumeReply = z.infer<typeof ResumeReply>;

export const TurnsReply = z.object({ data: z.array(Turn) });
export const TurnStartReply = z.object({ turn: z.object({ id: z.string() }) });
export const AccountReply = z.object({ account: z.unknown(), requiresOpenaiAuth: z.boolean() });
export const ModelsReply = z.object({
  data: z.array(z.object({ model: z.string(), upgradeInfo: z.object({ model: z.string() }).nullish() })),
});

const RateWindow = z.object({
  usedPercent: z.number(),
  windowDurationMins: z.number().nullish(),
  resetsAt: z.number().nullish(),
});
export type RateWindow = z.infer<typeof RateWindow>;
export const RateLimits = z.object({
  rateLimits: z.object({
    limitId: z.string().nullish(),
    primary: RateWindow.nullish(),
    secondary: RateWindow.nullish(),
  }),
});
export const TokenUsage = z.object({
  tokenUsage: z.object({
    last: z.object({ totalTokens: z.number() }),
    modelContextWindow: z.number().nullish(),
  }),
});

export const Delta = z.object({ itemId: z.string(), delta: z.string() });
export const OfThread = z.object({ threadId: z.string() });
export const OfTurn = z.object({ turn: Turn });
export const OfItem = z.object({ item: Item });
export const OfStatus = z.object({ status: ThreadStatus });
export const OfError = z.object({ error: TurnError, willRetry: z.boolean() });
export const Resolved = z.object({ requestId: z.union([z.number(), z.string()]) });
export const SettingsUpdated = z.object({ threadSettings: z.object({ model: z.string() }) });

const Ask = z.object({
  itemId: z.string(),
  startedAtMs: z.number().optional(),
  approvalId: z.string().nullish(),
  reason: z.string().nullish(),
});
export const CommandAsk = Ask.extend({
  kind: z.string().optional(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  networkApprovalContext: z.unknown().optional(),
  additionalPermissions: z.unknown().optional(),
  availableDecisions: z.array(z.unknown()).nullish(),
});
export const FileAsk = Ask.extend({ grantRoot: z.string().nullish() });
export const PermissionAsk = Ask.extend({ permissions: z.record(z.string(), z.unknown()) });
export const QuestionAsk = Ask.extend({
  questions: z.array(
    z.object({
      id: z.string(),
      isOther: z.boolean().nullish(),
      isSecret: z.boolean().nullish(),
      header: z.string().nullish(),
      question: z.string(),
      options: z.array(z.object({ label: z.string(), description: z.string().nullish() })).nullish(),
    }),
  ),
});
