'use client';
import { memo, type ReactNode, useContext } from 'react';
import type { ChatItem, ChatKind, SessionId } from '@/server/contract';
import { toast } from '../../_ui/asks';
import { clockTime } from '../../_ui/elapsed';
import { Picture } from '../pictures';
import { Markdown } from './markdown';
import { InRecord, InSession, useOpened } from './opened';
import { spentText, ToolLine } from './tool-line';
import { imagesOf, useConversation } from './use-conversation';

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

/** What a subagent said and did itself, followed while its line is open. */
function Subagent({ session, agent }: { session: SessionId; agent: string }) {
  const { state, problem, earlier } = useConversation(session, agent);
  const said = {
    loading: 'Loading what it did …',
    ready: state.entries.length === 0 ? 'It has done nothing yet.' : null,
    'not-yet': 'There is no record of its own to read.',
    unsupported: 'Its own record cannot be read from outside.',
    unreadable: 'Its own record cannot be read.',
  }[state.status];
  return (
    <section className="subagent" aria-label="What the subagent did">
      {problem ? <p className="note problem">{problem}</p> : null}
      {said ? <p className="hint">{said}</p> : null}
      {state.status === 'ready' && !state.start ? (
        <button type="button" className="btn ghost" onClick={() => void earlier()}>
          Show what came before
        </button>
      ) : null}
      <InRecord.Provider value={imagesOf(session, agent, state.generation)}>
        {state.entries.map(({ item, offset }) => (
          <div key={item.id} data-kind={item.kind}>
            <Item item={item} offset={offset} />
          </div>
        ))}
      </InRecord.Provider>
    </section>
  );
}

/** The pictures of a message, from the record in which the agent keeps it. */
function Images({ count, offset }: { count: number; offset: number }) {
  const record = useContext(InRecord);
  if (!record) return null;
  return (
    <div className="pictures">
      {Array.from({ length: count }, (_, index) => (
        <Picture
          // biome-ignore lint/suspicious/noArrayIndexKey: a picture is known by its place in the record.
          key={index}
          id={`${record.key}/${offset}/${index}`}
          name={count === 1 ? 'the image' : `image ${index + 1}`}
          load={() => record.load(offset, index)}
        />
      ))}
    </div>
  );
}

function Act({ item }: { item: Of<'tool'> }) {
  const session = useContext(InSession);
  return (
    <ToolLine item={item}>
      {session && item.tool === 'agent' ? (
        // Its id comes with its result; while it runs, the call is what it is known by.
        <Subagent session={session} agent={item.agent ?? item.id} />
      ) : null}
    </ToolLine>
  );
}

/** One renderer per kind; a kind without one does not compile. */
const RENDER: { [K in ChatKind]: (item: Of<K>, offset: number) => ReactNode } = {
  user: (item, offset) => (
    <div className="me-row">
      <div className="me">
        {item.images > 0 ? <Images count={item.images} offset={offset} /> : null}
        {item.text}
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
  tool: (item) => <Act item={item} />,
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

export const Item = memo(function Item({ item, offset }: { item: ChatItem; offset: number }) {
  // A host that is newer than this page may know more kinds.
  const render = RENDER[item.kind] as ((one: ChatItem, at: number) => ReactNode) | undefined;
  return <>{render?.(item, offset)}</>;
});
