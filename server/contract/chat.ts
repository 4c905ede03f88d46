/*
 * What a conversation shows. Derived from the vendor's own transcript each time it is looked at; nothing of it is
 * stored by us. Types only: these travel from the host to the browser and never back.
 */

export type ToolKind =
  | 'shell'
  | 'edit'
  | 'read'
  | 'search'
  | 'web'
  | 'mcp'
  | 'agent'
  | 'todo'
  | 'plan'
  | 'question'
  | 'other';

export type ToolOutcome = 'ok' | 'failed' | 'denied' | 'interrupted';

/** One file of an edit, as a unified diff without file headers; empty when the vendor does not say what changed. */
export interface FileDiff {
  path: string;
  diff: string;
  added: number;
  removed: number;
}

export interface ToolResult {
  outcome: ToolOutcome;
  output: string; // plain text, at most MAX_OUTPUT characters
  cut: boolean; // true: there was more
  exitCode: number | null;
  ms: number | null;
  /** What really changed, when the result says it better than the call did. */
  files: FileDiff[] | null;
}

interface Base {
  id: string; // the vendor's own id: the same item read twice is one item
  at: number | null; // ms since epoch, as the vendor wrote it
}

export type ChatItem = Base &
  (
    | { kind: 'user'; text: string; images: number; queued: boolean }
    | { kind: 'reply'; text: string; ref: string | null } // Markdown; `ref` ties it to the live text it replaces
    | { kind: 'thinking'; text: string }
    | {
        kind: 'tool';
        tool: ToolKind;
        name: string; // the vendor's own name for it
        object: string; // what it works on, in one line: the command, the path, the pattern
        input: string; // the whole input for the opened view
        files: FileDiff[];
        /** A subagent with items of its own, once its name is known. */
        agent: string | null;
        result: ToolResult | null; // null while it runs
      }
    | { kind: 'notice'; tone: 'info' | 'limit' | 'error' | 'interrupted'; text: string }
    | { kind: 'compacted'; summary: string }
    | { kind: 'turn-end'; ms: number | null }
    | { kind: 'cut'; bytes: number } // a record too long to read
  );
export type ChatKind = ChatItem['kind'];

/** What one record of a transcript says. A result may come pages after its call: whoever shows both joins them. */
export type ChatPatch =
  | { type: 'item'; item: ChatItem }
  | {
      type: 'result';
      id: string; // of the tool item
      at: number | null;
      result: ToolResult;
      agent: string | null;
      /** True: says less than the item itself may say elsewhere, so it only fills a gap. */
      weak: boolean;
    };

/** The patches of one record, with its place in the transcript (a byte offset). */
export interface ChatRow {
  offset: number;
  patches: ChatPatch[];
}

/** A stretch of the transcript. `generation` names the file: offsets of another generation mean nothing. */
export interface ChatPage {
  generation: string;
  from: number;
  to: number;
  start: boolean; // true: nothing comes before `from`
  rows: ChatRow[];
}

/** Text the agent is saying right now, as far as it got; replaced by the stored item with the same `ref`. */
export interface LiveText {
  ref: string;
  text: string;
}

/** What following a conversation yields. */
export type ChatUpdate =
  /** Start from this tail; `anew`: what was shown before is no longer in the record. */
  | { type: 'page'; page: ChatPage; anew: boolean }
  | { type: 'rows'; generation: string; to: number; rows: ChatRow[] }
  | { type: 'live'; live: LiveText | null }
  | { type: 'none'; why: 'not-yet' | 'unsupported' | 'unreadable' };

export const MAX_OUTPUT = 16_000;
