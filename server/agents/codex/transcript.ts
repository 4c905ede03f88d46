import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ChatItem, type ChatPatch, type FileDiff, MAX_OUTPUT, type ToolResult } from '../../contract';
import type { RecordedImage, TranscriptPlace } from '../port';
import { plainCommand } from './requests';

/*
 * The rollout of codex-cli 0.171: sessions/<year>/<month>/<day>/rollout-<time>-<thread id>.jsonl. Finished items are
 * whole in `item_completed`; a call that still runs is known only by the model's own `function_call`, which has the
 * same id.
 */
const Line = z.looseObject({
  timestamp: z.string().optional(),
  type: z.string(),
  payload: z.looseObject({ type: z.string().optional() }),
});
type Payload = z.infer<typeof Line>['payload'];
type Loose = { [key: string]: unknown };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const loose = (value: unknown): Loose => (value !== null && typeof value === 'object' ? value : {}) as Loose;
const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.map(loose) : []);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

export async function locate({
  env,
  userHome,
  vendorSession,
  agent,
}: TranscriptPlace): Promise<string | null> {
  if (agent !== null || !/^[\w-]+$/.test(vendorSession)) return null;
  const sessions = join(env.CODEX_HOME || join(userHome, '.codex'), 'sessions');
  // The id is a UUID of version 7: its first 48 bits are the moment it was made. The folder is the local day of it.
  const made = Number.parseInt(vendorSession.replaceAll('-', '').slice(0, 12), 16);
  for (const shift of [0, -1, 1]) {
    const day = new Date(made + shift * 86_400_000);
    if (Number.isNaN(day.getTime())) return null;
    const [year = '', month = '', date = ''] = day.toISOString().slice(0, 10).split('-');
    const folder = join(sessions, year, month, date);
    const name = (await readdir(folder).catch(() => [])).find(
      (one) => one.startsWith('rollout-') && one.endsWith(`-${vendorSession}.jsonl`),
    );
    if (
      name &&
      (await stat(join(folder, name)).then(
        (found) => found.isFile(),
        () => false,
      ))
    ) {
      return join(folder, name);
    }
  }
  return null;
}

/** Pure. */
export function read(value: unknown): ChatPatch[] {
  const parsed = Line.safeParse(value);
  if (!parsed.success) return [];
  const { type, payload, timestamp } = parsed.data;
  const at = timestamp ? Date.parse(timestamp) || null : null;
  if (type === 'response_item') return modelItem(payload, at);
  if (type === 'compacted') return item({ id: `compacted-${at}`, at, kind: 'compacted', summary: '' });
  return type === 'event_msg' ? event(payload, at) : [];
}

const item = (one: ChatItem): ChatPatch[] => [{ type: 'item', item: one }];

function event(payload: Payload, at: number | null): ChatPatch[] {
  const turn = text(payload.turn_id);
  switch (payload.type) {
    case 'item_completed':
      return completed(loose(payload.item), payload, at);
    case 'task_complete': {
      const error = loose(payload.error);
      const message = text(error.message);
      return [
        ...(message
          ? item({
              id: `error-${turn}`,
              at,
              kind: 'notice',
              tone: error.codex_error_info === 'usage_limit_exceeded' ? 'limit' : 'error',
              text: message,
            })
          : []),
        ...item({ id: `end-${turn}`, at, kind: 'turn-end', ms: number(payload.duration_ms) }),
      ];
    }
    case 'turn_aborted':
      return item({ id: `aborted-${turn}`, at, kind: 'notice', tone: 'interrupted', text: 'Interrupted.' });
    default:
      return [];
  }
}

type Tool = Extract<ChatItem, { kind: 'tool' }>;
const tool = (
  base: { id: string; at: number | null },
  rest: Partial<Tool> & Pick<Tool, 'tool' | 'name'>,
): ChatPatch[] =>
  item({ object: '', input: '', files: [], agent: null, result: null, ...rest, ...base, kind: 'tool' });

function completed(of: Loose, payload: Payload, fallback: number | null): ChatPatch[] {
  const at = number(payload.started_at_ms) ?? fallback;
  const base = { id: text(of.id), at };
  const spent = spentOf(payload);
  switch (of.type) {
    case 'UserMessage': {
      const content = list(of.content);
      const said = content.map((part) => text(part.text)).join('');
      const images = content.filter((part) => /image/i.test(text(part.type))).length;
      return item({ ...base, kind: 'user', text: said, images, queued: false });
    }
    case 'AgentMessage':
      return item({
        ...base,
        kind: 'reply',
        ref: base.id,
        text:
          list(of.content)
            .map((part) => text(part.text))
            .join('') || text(of.text),
      });
    case 'Plan':
      return item({ ...base, kind: 'reply', ref: base.id, text: text(of.text) });
    case 'Reasoning': {
      const said = (Array.isArray(of.summary_text) ? of.summary_text.map(text) : []).join('\n\n');
      return said.trim() ? item({ ...base, kind: 'thinking', text: said }) : [];
    }
    case 'CommandExecution': {
      const command = shellOf(of.command);
      const exitCode = number(of.exit_code);
      return tool(base, {
        tool: 'shell',
        name: 'Shell',
        object: command.split('\n')[0] ?? '',
        input: command,
        result: result(outcomeOf(of.status, exitCode), text(of.aggregated_output), { exitCode, ms: spent }),
      });
    }
    case 'FileChange': {
      const files = Object.entries(loose(of.changes)).map(([path, change]) => fileOf(path, loose(change)));
      return tool(base, {
        tool: 'edit',
        name: 'apply_patch',
        object: files.map((file) => file.path).join(', '),
        files,
        result: result(outcomeOf(of.status, null), '', { ms: spent }),
      });
    }
    case 'McpToolCall':
      return tool(base, {
        tool: 'mcp',
        name: `${text(of.server)}: ${text(of.tool)}`,
        input: JSON.stringify(of.arguments ?? {}, null, 2).slice(0, MAX_OUTPUT),
        result: result(outcomeOf(of.status, null), JSON.stringify(of.result ?? of.error ?? '', null, 2), {
          ms: spent,
        }),
      });
    case 'WebSearch':
      return tool(base, {
        tool: 'web',
        name: 'Web search',
        object: text(of.query),
        result: result('ok', '', { ms: spent }),
      });
    case 'ContextCompaction':
      return item({ ...base, kind: 'compacted', summary: '' });
    default:
      return [];
  }
}

const spentOf = (payload: Payload): number | null => {
  const [from, to] = [number(payload.started_at_ms), number(payload.completed_at_ms)];
  return from !== null && to !== null ? to - from : null;
};

/** A call of the model that has no finished item (yet), and its output when it never gets one. */
function modelItem(payload: Payload, at: number | null): ChatPatch[] {
  const base = { id: text(payload.call_id), at };
  if (!base.id) return [];
  switch (payload.type) {
    case 'function_call':
    case 'custom_tool_call': {
      const name = text(payload.name);
      const raw = text(payload.arguments) || text(payload.input);
      let input: Loose = {};
      try {
        input = loose(JSON.parse(raw));
      } catch {
        // A patch or a program: shown as it is.
      }
      const command = text(input.cmd) || shellOf(input.command);
      if (name === 'write_stdin') return [];
      return tool(base, {
        tool: command
          ? 'shell'
          : /patch/.test(name)
            ? 'edit'
            : /user_input/.test(name)
              ? 'question'
              : 'other',
        name,
        object: (command || raw).split('\n')[0]?.slice(0, 300) ?? '',
        input: command || raw.slice(0, MAX_OUTPUT),
      });
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const said = text(payload.output) || JSON.stringify(payload.output ?? '');
      return [{ type: 'result', id: base.id, at, agent: null, weak: true, result: result('ok', said, {}) }];
    }
    default:
      return [];
  }
}

const shellOf = (command: unknown): string => {
  if (typeof command === 'string') return plainCommand(command);
  if (!Array.isArray(command)) return '';
  const words = command.map(text);
  return words.length === 3 && /^-l?c$/.test(words[1] ?? '') ? (words[2] ?? '') : words.join(' ');
};

function outcomeOf(status: unknown, exitCode: number | null): ToolResult['outcome'] {
  if (status === 'declined') return 'denied';
  if (status === 'failed' || (exitCode !== null && exitCode !== 0)) return 'failed';
  return status === 'interrupted' ? 'interrupted' : 'ok';
}

const result = (
  outcome: ToolResult['outcome'],
  output: string,
  rest: { exitCode?: number | null; ms?: number | null },
): ToolResult => ({
  outcome,
  output: output.slice(0, MAX_OUTPUT),
  cut: output.length > MAX_OUTPUT,
  exitCode: rest.exitCode ?? null,
  ms: rest.ms ?? null,
  files: null,
});

/** `add` and `delete` carry the content, `update` a unified diff. */
function fileOf(path: string, change: Loose): FileDiff {
  const kind = text(change.type) || text(loose(change.kind).type);
  const content = text(change.content);
  const mark = kind === 'delete' ? '-' : '+';
  const diff =
    text(change.unified_diff) ||
    text(change.diff) ||
    (content
      ? content
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => mark + line)
          .join('\n')
      : '');
  const lines = diff.split('\n').filter((line) => !/^(---|\+\+\+) /.test(line));
  return {
    path,
    diff: lines.join('\n').slice(0, MAX_OUTPUT * 2),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** Pure. Its own record of a message has the paths; the bytes are in the one it makes for the model. */
export function images(value: unknown): RecordedImage[] {
  const payload = Line.safeParse(value).data?.payload;
  const content = list(loose(payload?.item).content);
  return content.flatMap((part): RecordedImage[] => {
    if (part.type === 'local_image') return [{ path: text(part.path) }];
    return /image/i.test(text(part.type)) ? [{ data: dataOf(part) }] : [];
  });
}
/** A picture that was no file is kept as a `data:` address. */
const dataOf = (part: Loose): string =>
  /^data:image\/[a-z+]+;base64,(.*)$/s.exec(text(part.image_url) || text(part.url))?.[1] ?? '';
