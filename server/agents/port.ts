import type {
  AnswerDetail,
  ChatPatch,
  Detection,
  EvidenceSource,
  LiveText,
  Mode,
  NeedForm,
  NeedKind,
  Quota,
  SessionId,
  SessionState,
  VendorCommand,
  VendorManifest,
} from '../contract';

/**
 * All that a vendor must be. A vendor is one folder that turns its CLI's own signals into these events; it reports
 * what the CLI really does and never emulates a missing ability. Two runs of one vendor share no mutable state.
 */
export interface AgentVendor {
  readonly manifest: VendorManifest;
  /** Whether the CLI is there and can run on this machine, without running it: a start never waits for this. */
  find(env: VendorEnv): Found;
  /**
   * `find`, and what the CLI says of itself (version, login); may take many seconds from a cold disk or while the CLI
   * waits for a network. Never reads a credential file. Never throws: a problem is part of the answer.
   */
  detect(env: VendorEnv): Promise<Detection>;
  /**
   * What to run in the pane. May write files only under `input.dir` (0700, the session's own). May start a helper
   * process that outlives the host through `input.service`. Throws AppError when the CLI cannot be started.
   */
  launch(input: LaunchInput): Promise<LaunchPlan>;
  /** Starts observing a pane that runs (after launch, and again after every restart of the host). */
  attach(context: RunContext): AgentRun;
  /**
   * Commands of the CLI that may be sent as a message (`prompt` with `command`): those that need no dialog in the
   * terminal. Reads small files only; never throws.
   */
  commands(place: VendorEnv & { cwd: string }): Promise<VendorCommand[]>;
  /** Null for a CLI that keeps no conversation we can read. */
  readonly transcript: Transcript | null;
}

/** How to find and understand the vendor's own record of a conversation. Reads only; unknown records give nothing. */
export interface Transcript {
  /** The JSON-lines file, or null while there is none. Never throws for what is absent. */
  locate(place: TranscriptPlace): Promise<string | null>;
  /** Pure. What one record shows. `nested`: the record is of a subagent's own file. */
  read(record: unknown, about: { nested: boolean }): ChatPatch[];
  /** Pure. The pictures of the person's words in one record, in order. */
  images(record: unknown): RecordedImage[];
}
/** A picture in a vendor's record: its bytes as base64, or the path it was read from. */
export type RecordedImage = { data: string } | { path: string };
export interface TranscriptPlace extends VendorEnv {
  vendorSession: string;
  dir: string; // the session's own folder
  cwd: string;
  /** Null: the session's own. Else a subagent's: its id, or that of the call that started it (it may still be running). */
  agent: string | null;
}

/** The program's absolute path, or null; `problem` is one sentence when it is there and cannot be used. */
export type Found = Pick<Detection, 'path' | 'problem'>;

/** Environment and folders a vendor works with. `env` is the session environment, `toolEnv` a closed one. */
export interface VendorEnv {
  path: string;
  userHome: string;
  env: Record<string, string>;
  toolEnv: Record<string, string>;
}

export interface LaunchInput extends VendorEnv {
  sessionId: SessionId;
  dir: string; // the session's own folder
  cwd: string;
  mode: Mode;
  permission: string; // id from the manifest
  prompt: string; // empty: none
  name: string;
  /** The vendor's own id to resume, or null for a new conversation. */
  resume: string | null;
  /** Command line (for a POSIX shell) that forwards one hook: JSON on stdin, the reply on stdout. */
  hookCommand(event: string): string;
  service: ServiceHost;
  /** True if the person has trusted this repository in Offdeck; a vendor may then pre-answer its own trust dialog. */
  trustedRoot: string | null;
}

export interface LaunchPlan {
  argv: string[]; // absolute program first
  env: Record<string, string>; // added to the session environment
  unset?: string[];
  /** The vendor's conversation id when it is known before the start. */
  vendorSession: string | null;
  /** True when the first prompt is already part of the launch and must not be typed. */
  promptIncluded: boolean;
}

/** Long-lived helper processes outside the host (they run in the private tmux server and survive us). */
export interface ServiceHost {
  /** Starts `name` unless it runs. Resolves when the process was started, not when it is ready. */
  ensure(name: string, spec: { argv: string[]; env: Record<string, string>; cwd: string }): Promise<void>;
  /** A folder (0700) for sockets with short paths. */
  runtimeDir: string;
}

/** What the pane can do for a vendor. Paste removes control bytes; none of these may be used to answer an approval. */
export interface PaneAccess {
  alive(): Promise<boolean>;
  /** The visible screen as text lines; with `escapes`, SGR included. */
  screen(options?: { escapes?: boolean }): Promise<string[]>;
  paste(text: string): Promise<void>;
  key(name: 'Enter' | 'Escape' | 'C-s' | 'C-c'): Promise<void>;
  pid(): Promise<number | null>; // of the pane's process
}

/**
 * What a vendor may call a conversation. It becomes an argument and part of a path at the next start, and any process
 * of the session can tell it to the host: it is never an option, and never leads out of a folder.
 */
export const isConversationId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id);

export interface RunContext extends VendorEnv {
  sessionId: SessionId;
  dir: string;
  cwd: string;
  vendorSession: string | null;
  mode: Mode;
  permission: string;
  /** The first prompt if it still has to be delivered, else empty. */
  pendingPrompt: string;
  pane: PaneAccess;
  service: ServiceHost;
  emit(event: VendorEvent): void;
  now(): number;
}

export interface AgentRun {
  /**
   * One call of the hook client. For a request that blocks, resolve with the reply when decided; resolve null for
   * "no decision". `gone` fires when the hook process went away.
   */
  hook(call: HookCall): Promise<unknown>;
  /** Hands the person's decision to the CLI. 'taken' only when the channel accepted it. */
  answer(
    vendorRef: string,
    decision: 'allow' | 'deny',
    message: string,
    detail?: AnswerDetail,
  ): Promise<'taken' | 'gone'>;
  /**
   * Hands a message over as typed text, never into an open dialog or a half-typed draft. `typed` is called once it is
   * out of our hands. Resolves when the CLI was seen to take it, or not. Called for one message at a time, and only
   * when the session waits for one. `id` is ours, for a channel that carries one. `command`: the text is one of the
   * CLI's own commands and is to be run; without it no text is ever anything but text. Never throws.
   */
  prompt(message: OutgoingMessage, typed: () => void): Promise<PromptOutcome>;
  interrupt(): Promise<void>;
  /** Stops observing; the CLI goes on. Releases every watch, timer and socket. */
  close(): Promise<void>;
}

export interface OutgoingMessage {
  id: string;
  text: string; // may be empty beside an image
  command?: boolean;
  /** Absolute paths of pictures that go before the words; only for a vendor that `takesImages`. */
  images?: readonly string[];
}

export type PromptOutcome =
  | { outcome: 'accepted' }
  /** Nothing of it was handed over: it may be tried again. */
  | { outcome: 'not-now'; why: string }
  /** It may have arrived. Never tried again by itself. */
  | { outcome: 'unsure'; why: string };

export interface HookCall {
  event: string;
  callId: string; // random per hook process; the same after the host restarted and the hook reconnected
  payload: unknown;
  gone: AbortSignal;
}

export type VendorEvent =
  /** A vote about the state. The strongest fresh vote wins (see sessions/fuse). */
  | {
      type: 'state';
      source: EvidenceSource;
      state: SessionState;
      detail: string;
      reason?: string | null;
      resetsAt?: number | null;
      /** The source stands by what it said before something else contradicted it: the claim counts from now. */
      anew?: boolean;
    }
  | {
      type: 'noted';
      contextPct?: number;
      model?: string;
      recap?: string;
      quota?: Quota;
      vendorSession?: string;
    }
  | { type: 'activity'; line: string }
  | {
      type: 'asked';
      vendorRef: string;
      kind: NeedKind;
      tool: string;
      title: string;
      body: string;
      why: string | null;
      cwd?: string; // where it would be done, when that is not the session's own folder
      input: unknown;
      answerable: boolean;
      form?: NeedForm | null;
    }
  /** The vendor was seen to act on, or drop, a request. */
  | {
      type: 'settled';
      vendorRef: string | 'all';
      how: 'confirmed' | 'answered-elsewhere' | 'cancelled';
      note: string;
    }
  /** What it says right now, whole so far; null when it stopped. Never stored. */
  | { type: 'live'; live: LiveText | null }
  /** The first prompt was accepted by the CLI (seen, not assumed). */
  | { type: 'prompt-accepted' };
