import { z } from 'zod';
import { DeviceId, NeedId, SessionId } from './ids';

/** What is asked. First cut: approvals; the other kinds point at the terminal. */
export const NeedKind = z.enum(['command', 'edit', 'tool', 'question', 'plan', 'other']);
export type NeedKind = z.infer<typeof NeedKind>;

/**
 * Life of a need. `answered` is durable before the agent hears of it; `delivered` means the agent's channel took
 * it; `confirmed` means the agent was seen to act on it. The rest are endings nobody decided: never a denial.
 */
export const NeedState = z.enum([
  'pending',
  'answered',
  'delivered',
  'confirmed',
  'expired',
  'answered-elsewhere',
  'cancelled',
  'superseded',
  'lost',
]);
export type NeedState = z.infer<typeof NeedState>;

export const Decision = z.enum(['allow', 'deny']);
export type Decision = z.infer<typeof Decision>;

/** One question of an agent. */
export const Question = z.object({
  id: z.string(),
  header: z.string().nullable(),
  question: z.string(),
  multi: z.boolean(), // several may be chosen
  free: z.boolean(), // own words are an answer too
  secret: z.boolean(), // must not be shown while it is typed
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
});
export type Question = z.infer<typeof Question>;

/** What an answer may carry besides yes or no. */
export const NeedForm = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('questions'),
    questions: z.array(Question),
    refusable: z.boolean(), // false: the vendor has no way to say "I will not answer"
  }),
  /** An approval that may hold for more than this once; only ever given in the app, with the whole rule in sight. */
  z.object({
    type: z.literal('approval'),
    grants: z.array(z.object({ id: z.string(), rule: z.string(), holds: z.string() })),
  }),
  /** A plan: approved, approved into a permission mode, or sent back with words. */
  z.object({ type: z.literal('plan'), modes: z.array(z.object({ id: z.string(), label: z.string() })) }),
]);
export type NeedForm = z.infer<typeof NeedForm>;

/** The JSON in the `detail` of an answer. */
export const AnswerDetail = z.object({
  answers: z.record(z.string(), z.array(z.string())).optional(), // by question id
  text: z.string().optional(), // why not, or what to change
  mode: z.string().optional(),
  grant: z.string().optional(), // id of the rule that is to hold from now on
});
export type AnswerDetail = z.infer<typeof AnswerDetail>;
export const MAX_DETAIL = 50_000;

export const Need = z.object({
  id: NeedId,
  sessionId: SessionId,
  kind: NeedKind,
  tool: z.string(), // the vendor's tool name, shown as is
  title: z.string(), // "Wants to run a command"
  body: z.string(), // the complete text to be approved: command, path and patch, tool input
  why: z.string().nullable(), // the agent's own reason
  cwd: z.string(),
  input: z.unknown(), // the vendor's full input, as digested
  vendorRef: z.string(), // the vendor's id of this request, for matching
  digest: z.string(), // sha-256 over the canonical record
  answerable: z.boolean(), // false: only the terminal can answer it
  form: NeedForm.nullable().default(null),
  detail: z.string().nullable().default(null), // what the answer carried
  state: NeedState,
  decision: Decision.nullable(),
  answeredBy: DeviceId.nullable(),
  answeredByLabel: z.string().nullable(),
  created: z.number(),
  expires: z.number(),
  settled: z.number().nullable(),
  note: z.string().nullable(), // why it ended, in a sentence
});
export type Need = z.infer<typeof Need>;

/** What a device sends to answer: the tuple it signed, and the signature over `answerText`. */
export const SignedAnswer = z.object({
  needId: NeedId,
  digest: z.string().length(64),
  decision: Decision,
  detail: z.string().max(MAX_DETAIL).optional(), // JSON of AnswerDetail, signed as it stands here
  nonce: z.string().min(16).max(100),
  time: z.number(),
  sig: z.string().max(200),
});
export type SignedAnswer = z.infer<typeof SignedAnswer>;
