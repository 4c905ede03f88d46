'use client';
import {
  BookOpen,
  Bot,
  ChevronRight,
  CircleHelp,
  Globe,
  ListTodo,
  Map as MapIcon,
  Pencil,
  Plug,
  Search,
  SquareTerminal,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { ChatItem, FileDiff, ToolKind, ToolResult } from '@/server/contract';
import { useOpened } from './opened';

export type ToolItem = Extract<ChatItem, { kind: 'tool' }>;

const ICON = {
  shell: SquareTerminal,
  edit: Pencil,
  read: BookOpen,
  search: Search,
  web: Globe,
  mcp: Plug,
  agent: Bot,
  todo: ListTodo,
  plan: MapIcon,
  question: CircleHelp,
  other: Wrench,
} as const satisfies Record<ToolKind, unknown>;
const VERB: Record<ToolKind, string | null> = {
  shell: 'Run',
  edit: 'Edit',
  read: 'Read',
  search: 'Search',
  web: 'Look up',
  agent: 'Subagent',
  todo: 'Plan of work',
  plan: 'Plan',
  question: 'Question',
  mcp: null,
  other: null,
};

export const spentText = (ms: number): string =>
  ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)}m ${Math.round((ms % 60_000) / 1000)}s`;

function Outcome({ item }: { item: ToolItem }) {
  const { result, files } = item;
  if (!result) return <span className="running">running</span>;
  if (result.outcome === 'denied') return <span className="minus">denied</span>;
  if (result.outcome === 'interrupted') return <span>interrupted</span>;
  if (result.exitCode !== null) {
    return <span className={result.exitCode === 0 ? 'plus' : 'minus'}>exit {result.exitCode}</span>;
  }
  if (result.outcome === 'failed') return <span className="minus">failed</span>;
  if (item.tool === 'edit' && files.length > 0) {
    return (
      <span>
        <span className="plus">+{files.reduce((sum, file) => sum + file.added, 0)}</span>{' '}
        <span className="minus">−{files.reduce((sum, file) => sum + file.removed, 0)}</span>
      </span>
    );
  }
  return <span />;
}

const lineClass = (line: string): string | undefined =>
  line.startsWith('+') ? 'a' : line.startsWith('-') ? 'd' : line.startsWith('@@') ? 'h' : undefined;

function Diff({ file }: { file: FileDiff }) {
  return (
    <section className="tool-diff" aria-label={`Change of ${file.path}`}>
      <header className="mono">{file.path}</header>
      <pre>
        {file.diff.split('\n').map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one unchanging text.
          <span key={index} className={lineClass(line)}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}

function Output({ result }: { result: ToolResult }) {
  if (!result.output) return null;
  return (
    <pre className="tool-output">
      {result.output}
      {result.cut ? <span className="hint">{'\n'}… more of it is in the terminal.</span> : null}
    </pre>
  );
}

/** One act of the agent in a line; opens to what it was given, `children`, and what came of it. */
export function ToolLine({ item, children }: { item: ToolItem; children?: ReactNode }) {
  const [open, toggle] = useOpened(item.id);
  const Icon = ICON[item.tool];
  const verb = VERB[item.tool] ?? item.name;
  return (
    <div className="tool-item">
      <button type="button" className="tool" aria-expanded={open} onClick={toggle}>
        <Icon aria-hidden="true" />
        <span>{verb}</span>
        <span className="mono object">{item.object}</span>
        <Outcome item={item} />
        <small className="num">{item.result?.ms != null ? spentText(item.result.ms) : ''}</small>
        <ChevronRight aria-hidden="true" className="fold" />
      </button>
      {open ? (
        <div className="tool-open">
          {item.tool === 'edit' && item.files.length > 0 ? (
            item.files.map((file) => <Diff key={file.path} file={file} />)
          ) : item.input && item.input !== item.object ? (
            <pre className="tool-input">{item.input}</pre>
          ) : null}
          {children}
          {item.result ? <Output result={item.result} /> : null}
          {!item.result?.output && item.files.length === 0 && item.result ? (
            <p className="hint">It gave no output.</p>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}
