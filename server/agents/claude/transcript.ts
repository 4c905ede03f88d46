import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import {
  type ChatItem,
  type ChatPatch,
  type FileDiff,
  MAX_OUTPUT,
  type ToolKind,
  type ToolResult,
} from '../../contract';
import type { RecordedImage, TranscriptPlace } from '../port';
import { withoutImages } from './typing';

/*
 * The transcript of Claude Code 2.1.197: one JSON object a line under projects/<folder>/<session id>.jsonl. One line per
 * content block of an answer; a tool's result comes as a "user" line later. The lines of the first turn are not in
 * order of time, so who shows them sorts by `timestamp`.
 */
const Block = z.looseObject({ type: z.string() });
const Record = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  uuid: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isSidechain: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  isApiErrorMessage: z.boolean().optional(),
  error: z.unknown().optional(),
  promptSource: z.string().optional(),
  durationMs: z.number().optional(),
  content: z.unknown().optional(),
  message: z
    .looseObject({ id: z.string().optional(), content: z.union([z.string(), z.array(Block)]).optional() })
    .optional(),
  toolUseResult: z.unknown().optional(),
});
type Record = z.infer<typeof Record>;
type Block = z.infer<typeof Block>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
const Meta = z.object({ toolUseId: z.string() });

/** Under `folder`: the record of the subagent of that id, or of the one that call started. */
async function subagentFile(folder: string, agent: string): Promise<string | null> {
  const direct = join(folder, `agent-${agent}.jsonl`);
  if (await isFile(direct)) return direct;
  // The result alone names the agent. Until then its `.meta.json` tells which call it came from (Claude Code 2.1.197).
  for (const name of await readdir(folder).catch(() => [])) {
    const known = /^(agent-[\w-]+)\.meta\.json$/.exec(name)?.[1];
    if (!known) continue;
    const from = await readFile(join(folder, name), 'utf8')
      .then((text) => Meta.parse(JSON.parse(text)).toolUseId)
      .catch(() => null); // half written, or of another version
    const path = join(folder, `${known}.jsonl`);
    if (from === agent && (await isFile(path))) return path;
  }
  return null;
}

export async function locate({
  env,
  userHome,
  vendorSession,
  agent,
}: TranscriptPlace): Promise<string | null> {
  // Ids of the vendor become part of a path.
  if (!/^[\w-]+$/.test(vendorSession) || (agent !== null && !/^[\w-]+$/.test(agent))) return null;
  const projects = join(env.CLAUDE_CONFIG_DIR || join(userHome, '.claude'), 'projects');
  // The folder's name is made from the working folder in a way that is not documented, so it is looked for.
  for (const folder of await readdir(projects).catch(() => [])) {
    const own = join(projects, folder, vendorSession);
    const path =
      agent === null
        ? (await isFile(`${own}.jsonl`)) && `${own}.jsonl`
        : await subagentFile(join(own, 'subagents'), agent);
    if (path) return path;
  }
  return null;
}

/** Pure. */
export function read(value: unknown, { nested }: { nested: boolean }): ChatPatch[] {
  const parsed = Record.safeParse(value);
  if (!parsed.success) return [];
  const record = parsed.data;
  if (record.isMeta || (record.isSidechain && !nested)) return [];
  const at = record.timestamp ? Date.parse(record.timestamp) || null : null;
  const base = { id: record.uuid ?? `${record.type}-${at}`, at };
  switch (record.type) {
    case 'user':
      return user(record, base);
    case 'assistant':
      return assistant(record, base);
    case 'system':
      return system(record, base);
    default:
      return [];
  }
}

const Picture = z.object({ type: z.literal('base64'), data: z.string() });
/** Pure. */
export function images(value: unknown): RecordedImage[] {
  const content = Record.safeParse(value).data?.message?.content;
  return (Array.isArray(content) ? content : []).flatMap((block) => {
    const source = block.type === 'image' ? Picture.safeParse(block.source).data : undefined;
    return source ? [{ data: source.data }] : [];
  });
}

type Base = { id: string; at: number | null };
const item = (one: ChatItem): ChatPatch[] => [{ type: 'item', item: one }];
const notice = (base: Base, tone: 'info' | 'limit' | 'error' | 'interrupted', said: string): ChatPatch[] =>
  item({ ...base, kind: 'notice', tone, text: said });

function user(record: Record, base: Base): ChatPatch[] {
  const content = record.message?.content ?? '';
  const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const results = blocks.filter((block) => block.type === 'tool_result');
  if (results.length > 0) return results.map((block) => result(block, record, base.at));
  const said = blocks
    .filter((block) => block.type === 'text')
    .map((block) => text(block.text))
    .join('\n\n')
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .trim();
  const images = blocks.filter((block) => block.type === 'image').length;
  if (record.isCompactSummary) return item({ ...base, kind: 'compacted', summary: said });
  if (/^\[Request interrupted by user/.test(said)) return notice(base, 'interrupted', 'Interrupted.');
  const command = commandIn(said);
  if (command !== null) return item({ ...base, kind: 'user', text: command, images: 0, queued: false });
  const shell = /^<bash-input>([\s\S]*?)<\/bash-input>/.exec(said)?.[1];
  if (shell !== undefined) return notice(base, 'info', `! ${shell.trim()}`);
  const output = outputIn(said);
  if (output !== null) return output ? notice(base, 'info', output) : [];
  if (/^<local-command-caveat>/.test(said) || (!said && images === 0)) return [];
  // What stands for the pictures in its input box is no word of the person's.
  const words = images > 0 ? withoutImages(said).trim() : said;
  return item({ ...base, kind: 'user', text: words, images, queued: record.promptSource === 'queued' });
}

/** A command that a person gave: its own are in `system` records, those of files and skills in `user` ones (2.1.197). */
function commandIn(said: string): string | null {
  const name = /^(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]*)<\/command-name>/.exec(
    said,
  )?.[1];
  if (name === undefined) return null;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(said)?.[1] ?? '';
  return `${name} ${args}`.trim();
}

/** What a command printed, without its colours. */
function outputIn(said: string): string | null {
  const output = /^<(?:local-command|bash)-(?:stdout|stderr)>([\s\S]*)<\//.exec(said)?.[1];
  return output === undefined ? null : stripVTControlCharacters(output).trim().slice(0, MAX_OUTPUT);
}

function assistant(record: Record, base: Base): ChatPatch[] {
  const content = record.message?.content ?? [];
  const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const ref = record.message?.id ?? null;
  return blocks.flatMap((block, index) => {
    const own = index === 0 ? base : { ...base, id: `${base.id}-${index}` };
    switch (block.type) {
      case 'text': {
        const said = text(block.text);
        if (record.isApiErrorMessage) {
          return notice(own, record.error === 'rate_limit' ? 'limit' : 'error', said);
        }
        return said.trim() ? item({ ...own, kind: 'reply', text: said, ref }) : [];
      }
      case 'thinking':
        return text(block.thinking).trim()
          ? item({ ...own, kind: 'thinking', text: text(block.thinking) })
          : [];
      case 'tool_use':
        return item({ ...call(text(block.name), block.input), id: text(block.id) || own.id, at: own.at });
      default:
        return [];
    }
  });
}

function system(record: Record, base: Base): ChatPatch[] {
  switch (record.subtype) {
    case 'turn_duration':
      return item({ ...base, kind: 'turn-end', ms: record.durationMs ?? null });
    case 'compact_boundary':
      return item({ ...base, kind: 'compacted', summary: '' });
    case 'local_command': {
      const said = text(record.content).trim();
      const command = commandIn(said);
      if (command !== null) return item({ ...base, kind: 'user', text: command, images: 0, queued: false });
      const output = outputIn(said);
      return output ? notice(base, 'info', output) : [];
    }
    case 'api_error':
      return notice(base, 'error', text(record.content) || 'The vendor answered with an error.');
    default:
      return [];
  }
}

const KINDS: { [name: string]: ToolKind } = {
  __proto__: null as never,
  Bash: 'shell',
  BashOutput: 'shell',
  KillShell: 'shell',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Read: 'read',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  ToolSearch: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  Agent: 'agent',
  Task: 'agent',
  TodoWrite: 'todo',
  TaskCreate: 'todo',
  TaskUpdate: 'todo',
  ExitPlanMode: 'plan',
  AskUserQuestion: 'question',
};
/** The member of a tool's input that says best what it works on. */
const OBJECTS = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'description',
  'path',
  'plan',
];

function call(name: string, raw: unknown): Omit<Extract<ChatItem, { kind: 'tool' }>, 'id' | 'at'> {
  const input = (raw !== null && typeof raw === 'object' ? raw : {}) as { [key: string]: unknown };
  const key = OBJECTS.find((one) => typeof input[one] === 'string');
  const tool = KINDS[name] ?? (name.startsWith('mcp__') ? 'mcp' : 'other');
  const questions = Array.isArray(input.questions) ? (input.questions as { question?: unknown }[]) : [];
  const object = key ? text(input[key]) : questions.map((one) => text(one.question)).join(' · ');
  return {
    kind: 'tool',
    tool,
    name,
    object: object.split('\n')[0]?.slice(0, 300) ?? '',
    input:
      typeof input.command === 'string'
        ? input.command
        : typeof input.plan === 'string'
          ? input.plan
          : JSON.stringify(input, null, 2).slice(0, MAX_OUTPUT),
    files: tool === 'edit' ? wanted(input) : [],
    agent: null,
    result: null,
  };
}

/** What an edit asks for, before its result says what it did. */
function wanted(input: { [key: string]: unknown }): FileDiff[] {
  const path = text(input.file_path) || text(input.notebook_path);
  if (!path) return [];
  const edits = Array.isArray(input.edits) ? (input.edits as { [key: string]: unknown }[]) : [input];
  const lines = edits.flatMap((edit) => [
    ...marked('-', text(edit.old_string)),
    ...marked('+', text(edit.new_string) || text(edit.content) || text(edit.new_source)),
  ]);
  return [diffOf(path, lines)];
}
const marked = (mark: '+' | '-', body: string): string[] =>
  body === ''
    ? []
    : body
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => mark + line);
const diffOf = (path: string, lines: string[]): FileDiff => ({
  path,
  diff: lines.join('\n').slice(0, MAX_OUTPUT * 2),
  added: lines.filter((line) => line.startsWith('+')).length,
  removed: lines.filter((line) => line.startsWith('-')).length,
});

const Patch = z.array(
  z.looseObject({ oldStart: z.number(), newStart: z.number(), lines: z.array(z.string()) }),
);

function result(block: Block, record: Record, at: number | null): ChatPatch {
  const about = (
    record.toolUseResult !== null && typeof record.toolUseResult === 'object' ? record.toolUseResult : {}
  ) as { [key: string]: unknown };
  const parts = Array.isArray(block.content) ? (block.content as Block[]) : [];
  const said = (
    typeof block.content === 'string' ? block.content : parts.map((part) => text(part.text)).join('\n')
  ).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1');
  const failed = block.is_error === true;
  const exit = /^Exit code (\d+)/.exec(said)?.[1];
  const path = text(about.filePath);
  const patch = Patch.safeParse(about.structuredPatch).data ?? [];
  const shell = typeof about.stdout === 'string';
  const outcome: ToolResult['outcome'] =
    about.interrupted === true || (failed && /\[Request interrupted by user/.test(said))
      ? 'interrupted'
      : failed &&
          /denied this|doesn't want to (proceed|take this action)|has been denied|was rejected/i.test(said)
        ? 'denied'
        : failed
          ? 'failed'
          : 'ok';
  return {
    type: 'result',
    id: text(block.tool_use_id),
    at,
    weak: false,
    agent: text(about.agentId) || null,
    result: {
      outcome,
      output: said.slice(0, MAX_OUTPUT),
      cut: said.length > MAX_OUTPUT,
      exitCode: exit !== undefined ? Number(exit) : shell && outcome === 'ok' ? 0 : null,
      ms: typeof about.totalDurationMs === 'number' ? about.totalDurationMs : null,
      files:
        path && patch.length > 0
          ? [
              diffOf(
                path,
                patch.flatMap((hunk) => [`@@ -${hunk.oldStart} +${hunk.newStart} @@`, ...hunk.lines]),
              ),
            ]
          : null,
    },
  };
}
