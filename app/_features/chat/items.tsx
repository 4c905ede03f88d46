'use client';
import { memo, type ReactNode } from 'react';
import type { ChatItem, ChatKind } from '@/server/contract';
import { toast } from '../../_ui/asks';
import { clockTime } from '../../_ui/elapsed';
import { Markdown } from './markdown';
import { useOpened } from './opened';
import { spentText, ToolLine } from './tool-line';

type Of<K extends ChatKind> = Extract<ChatItem, { kind: K }>;

const copy = (text: string) =>
  void navigator.clipboard.writeText(text).then(
    () => toast('Copied.'),
    () => toast('The browser did not let the text be copied.'),
  );

function Thinking({ item }: { item: Of<'thinking'> }) {
  const [open, toggle] = useOpened(item.id);
  return (
    <div className="thinking">
      <button type="button" aria-expanded={open} onClick={toggle}>
        Thought about it
      </button>
      {open ? <div className="thought">{item.text}</div> : null}
    </div>
  );
}

function Compacted({ item }: { item: Of<'compacted'> }) {
  const [open, toggle] = useOpened(item.id);
  return (
    <div className="boundary">
      {item.summary ? (
        <button type="button" aria-expanded={open} onClick={toggle}>
          Compacted: the agent goes on from a summary
        </button>
      ) : (
        <span>Compacted</span>
      )}
      {open ? <Markdown text={item.summary} /> : null}
    </div>
  );
}

/** One renderer per kind; a kind without one does not compile. */
const RENDER: { [K in ChatKind]: (item: Of<K>) => ReactNode } = {
  user: (item) => (
    <div className="me-row">
      <div className="me">
        {item.text}
        {item.images > 0 ? (
          <small className="hint">{item.images === 1 ? 'with an image' : `with ${item.images} images`}</small>
        ) : null}
      </div>
      <div className="rcpt num">
        {item.at === null ? 'accepted' : `accepted ${clockTime(item.at, true)}`}
        {item.queued ? ' from the queue' : ''}
      </div>
    </div>
  ),
  reply: (item) => (
    <div className="reply">
      <Markdown text={item.text} />
      <button type="button" className="btn ghost copy" onClick={() => copy(item.text)}>
        Copy
      </button>
    </div>
  ),
  thinking: (item) => <Thinking item={item} />,
  tool: (item) => <ToolLine item={item} />,
  notice: (item) => (
    <p className={`chat-notice ${item.tone}`} role={item.tone === 'error' ? 'alert' : undefined}>
      {item.text}
    </p>
  ),
  compacted: (item) => <Compacted item={item} />,
  'turn-end': (item) => (
    <div className="turn-end num" aria-hidden={item.ms === null}>
      {item.ms === null ? '' : spentText(item.ms)}
    </div>
  ),
  cut: (item) => (
    <p className="chat-notice info">
      A record of {Math.round(item.bytes / 1_000_000)} MB is not shown; the terminal has it.
    </p>
  ),
};

export const Item = memo(function Item({ item }: { item: ChatItem }) {
  // A host that is newer than this page may know more kinds.
  const render = RENDER[item.kind] as ((one: ChatItem) => ReactNode) | undefined;
  return <>{render?.(item)}</>;
});
