'use client';
import './chat.css';
import { ArrowDown, ChevronDown, ChevronUp, Copy, Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import type { ChatItem, Session } from '@/server/contract';
import { toast } from '../../_ui/asks';
import { IconButton } from '../../_ui/icon-button';
import { OnTheirWay, useOnTheirWay } from '../composer';
import { asMarkdown } from './conversation';
import { Item } from './items';
import { Markdown } from './markdown';
import { InRecord, InSession, Opened } from './opened';
import { imagesOf, useConversation } from './use-conversation';
import { NEAR_END, useTail } from './use-tail';

/** The list counts down from here as earlier pages are put before it, so the reader's place stays. */
const FIRST = 1_000_000;

const textOf = (item: ChatItem): string => {
  switch (item.kind) {
    case 'tool':
      return `${item.name} ${item.object} ${item.input} ${item.result?.output ?? ''}`;
    case 'compacted':
      return item.summary;
    case 'turn-end':
    case 'cut':
      return '';
    default:
      return item.text;
  }
};

interface Context {
  footer: ReactNode;
  header: ReactNode;
}
const LIST_PARTS = {
  Header: ({ context }: { context?: Context }) => <>{context?.header}</>,
  Footer: ({ context }: { context?: Context }) => <>{context?.footer}</>,
};

/** The chat face: the agent's own record of the conversation, its live text, and the messages still on their way. */
export function ChatView({ session }: { session: Session }) {
  const { state, problem, earlier } = useConversation(session.id, null);
  const list = useRef<VirtuosoHandle>(null);
  const opened = useRef(new Set<string>());
  const { attach, toEnd, leaveEnd } = useTail();
  const [bottom, setBottom] = useState(true);
  const [seen, setSeen] = useState(0);
  const [find, setFind] = useState<string | null>(null);
  const [hit, setHit] = useState(0);
  const items = useMemo(() => state.entries.map((entry) => entry.item), [state.entries]);
  const images = useMemo(() => imagesOf(session.id, null, state.generation), [session.id, state.generation]);
  const first = FIRST - state.prepended;
  const last = items.at(-1);
  const onTheirWay = useOnTheirWay(session, items);
  const waiting = <OnTheirWay messages={onTheirWay} />;

  useEffect(() => {
    if (bottom) setSeen(items.length - state.prepended);
  }, [bottom, items.length, state.prepended]);
  const fresh = bottom ? 0 : Math.max(0, items.length - state.prepended - seen);

  const hits = useMemo(() => {
    const wanted = find?.trim().toLowerCase();
    if (!wanted) return [];
    return items.flatMap((item, index) => (textOf(item).toLowerCase().includes(wanted) ? [index] : []));
  }, [find, items]);
  const jump = (index: number, align: 'center' | 'start') => {
    leaveEnd();
    list.current?.scrollToIndex({ index, align });
  };
  const go = (index: number) => jump(index, 'center');
  const step = (by: number) => {
    if (hits.length === 0) return;
    const next = (hit + by + hits.length) % hits.length;
    setHit(next);
    go(hits[next] ?? 0);
  };
  // Text that grows at the end keeps the end in view only for a reader who is there.
  useEffect(() => {
    if (bottom && state.live) list.current?.autoscrollToBottom();
  }, [bottom, state.live]);
  // Who sends a message wants to see it arrive, wherever they were reading.
  const sent = onTheirWay.at(-1)?.id;
  const followed = useRef(new Set<string>());
  useEffect(() => {
    // One that is last again, because a later one was removed, was sent long ago.
    if (sent === undefined || followed.current.has(sent)) return;
    for (const { id } of onTheirWay) followed.current.add(id);
    toEnd();
  }, [sent, toEnd, onTheirWay]);

  const turn = (by: 1 | -1) => {
    const at = visible.current;
    const users = items.flatMap((item, index) => (item.kind === 'user' ? [index] : []));
    const next = by > 0 ? users.find((index) => index > at) : users.findLast((index) => index < at);
    if (next === undefined) void (by < 0 && !state.start ? earlier() : toEnd());
    else jump(next, 'start');
  };
  const visible = useRef(0);

  if (state.status === 'unsupported') {
    return (
      <div className="empty">
        <h2>No chat for this agent</h2>
        <p>Its conversation cannot be read from outside. Everything is in the terminal.</p>
      </div>
    );
  }
  const nothing = items.length === 0 && !state.live;
  const quiet = nothing && onTheirWay.length === 0;
  const context: Context = {
    header:
      state.status === 'ready' && items.length > 0 ? (
        <div className="col chat-start">
          {state.start ? (
            <span className="hint">The beginning</span>
          ) : (
            <span className="hint">Loading earlier …</span>
          )}
        </div>
      ) : null,
    footer: (
      <div className="col chat-end" aria-live="polite">
        {state.live && !(last?.kind === 'reply' && last.ref === state.live.ref) ? (
          <div className="reply live">
            <Markdown text={state.live.text} />
          </div>
        ) : null}
        {waiting}
      </div>
    ),
  };
  return (
    <InSession.Provider value={session.id}>
      <InRecord.Provider value={images}>
        <Opened.Provider value={opened.current}>
          <section className="chat" aria-label="Conversation">
            {problem ? <p className="note problem">{problem}</p> : null}
            {state.status === 'unreadable' ? (
              <p className="note problem">The agent’s record of this conversation cannot be read.</p>
            ) : null}
            <div className="chat-tools" role="toolbar" aria-label="Conversation">
              <IconButton label="Previous message of yours" icon={ChevronUp} onClick={() => turn(-1)} />
              <IconButton label="Next message of yours" icon={ChevronDown} onClick={() => turn(1)} />
              <IconButton
                label="Find in the conversation"
                icon={Search}
                onClick={() => setFind(find === null ? '' : null)}
              />
              <IconButton
                label="Copy as Markdown"
                icon={Copy}
                onClick={() =>
                  void navigator.clipboard.writeText(asMarkdown(items)).then(
                    () => toast(state.start ? 'Copied.' : 'Copied what is loaded; scroll up for more.'),
                    () => toast('The browser did not let the text be copied.'),
                  )
                }
              />
            </div>
            {find !== null ? (
              <div className="chat-find">
                <input
                  // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
                  autoFocus
                  aria-label="Find"
                  placeholder="Find"
                  value={find}
                  onChange={(event) => {
                    setFind(event.target.value);
                    setHit(0);
                  }}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
                    if (event.key === 'Escape') setFind(null);
                  }}
                />
                <span className="hint num">
                  {find.trim() === ''
                    ? ''
                    : hits.length === 0
                      ? state.start
                        ? 'none'
                        : 'none in what is loaded'
                      : `${hit + 1} of ${hits.length}`}
                </span>
                {!state.start && find.trim() !== '' ? (
                  <button type="button" className="btn ghost" onClick={() => void earlier()}>
                    Load earlier
                  </button>
                ) : null}
                <IconButton label="Close find" icon={X} onClick={() => setFind(null)} />
              </div>
            ) : null}
            {nothing && state.status !== 'loading' ? (
              <div className="chat-nothing">
                <p className="hint">
                  {state.status === 'not-yet' && quiet
                    ? 'Nothing has been said yet. What you send and what the agent answers appears here.'
                    : null}
                </p>
                <div className="col">{waiting}</div>
              </div>
            ) : (
              <Virtuoso
                ref={list}
                className="chat-list"
                data={items}
                firstItemIndex={first}
                initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
                computeItemKey={(_, item) => item.id}
                alignToBottom
                followOutput={(atBottom) => (atBottom ? 'auto' : false)}
                atBottomStateChange={setBottom}
                atBottomThreshold={NEAR_END}
                scrollerRef={attach}
                startReached={() => void earlier()}
                rangeChanged={({ startIndex }) => {
                  visible.current = startIndex - first;
                }}
                increaseViewportBy={600}
                context={context}
                components={LIST_PARTS}
                itemContent={(index, item) => (
                  <div className={hits[hit] === index - first ? 'col hit' : 'col'} data-kind={item.kind}>
                    <Item item={item} offset={state.entries[index - first]?.offset ?? 0} />
                  </div>
                )}
              />
            )}
            {!bottom && items.length > 0 ? (
              <button type="button" className="btn to-bottom" onClick={toEnd}>
                <ArrowDown aria-hidden="true" /> {fresh > 0 ? `${fresh} new below` : 'To the end'}
              </button>
            ) : null}
          </section>
        </Opened.Provider>
      </InRecord.Provider>
    </InSession.Provider>
  );
}
