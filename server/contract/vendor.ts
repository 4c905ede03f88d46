import { z } from 'zod';
import { VendorId } from './ids';
import { Mode } from './session';

/** Plain data about a vendor; safe to send to a browser. The app reads this and never switches on an id. */
export const VendorManifest = z.object({
  id: VendorId,
  label: z.string(), // "Claude Code"
  short: z.string(), // "Claude"
  modes: z.array(Mode),
  permissions: z.array(z.object({ id: z.string(), label: z.string(), hint: z.string(), risky: z.boolean() })),
  capabilities: z.object({
    answersApprovals: z.boolean(), // a channel of its own for yes and no
    resumes: z.boolean(),
    reportsContext: z.boolean(),
    reportsQuota: z.boolean(),
    chats: z.boolean(), // its conversation can be read, and messages sent without the terminal
    takesImages: z.boolean(), // beside the words of a message
  }),
  install: z.string(), // the command that installs the CLI
  signIn: z.string(), // the command that signs in
  hidden: z.boolean(), // true: only offered in the demo and in tests
});
export type VendorManifest = z.infer<typeof VendorManifest>;

/** A command of the vendor's own that may be sent as a message: `/name`, and words after it where it takes any. */
export const VendorCommand = z.object({
  name: z.string(), // without the slash
  hint: z.string(), // what it does, in its author's words
  takes: z.string().nullable(), // what may follow it, e.g. "[file]"; null: not known to take anything
  from: z.enum(['cli', 'user', 'project']),
});
export type VendorCommand = z.infer<typeof VendorCommand>;

/** What was found on this machine. Credential files are never read: `signedIn` comes from the CLI's own word. */
export const Detection = z.object({
  vendor: VendorId,
  path: z.string().nullable(),
  version: z.string().nullable(),
  signedIn: z.enum(['yes', 'no', 'unknown']),
  problem: z.string().nullable(), // one sentence when it cannot be used
});
export type Detection = z.infer<typeof Detection>;

/** One line of the preflight. `fix` is a command to copy. */
export const Check = z.object({
  id: z.string(),
  label: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  detail: z.string(),
  fix: z.string().nullable(),
});
export type Check = z.infer<typeof Check>;
