'use client';
import Link from 'next/link';
import { useEffect, useRef, useState } from 'react';
import type { Decision, Need, Session } from '@/server/contract';
import { answer } from '../../_client/answer';
import { problemText } from '../../_client/api';
import { visiblePieces } from '../../_ui/visible-text';

/**
 * One request, whole. Approve can be pressed only when all of it could be read; the answer is signed over exactly
 * this record, and the three steps (sent, recorded, taken) are shown as they happen.
 */
export function NeedCard({
  need,
  session,
  inCard = false,
}: {
  need: Need;
  session: Session;
  inCard?: boolean;
}) {
  const text = useRef<HTMLPreElement>(null);
  const [readAll, setReadAll] = useState(false);
  const [sending, setSending] = useState<Decision | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new request must be read anew.
  useEffect(() => {
    const look = () => {
      const box = text.current;
      if (box && box.scrollTop + box.clientHeight >= box.scrollHeight - 4) setReadAll(true);
    };
    setReadAll(false);
    setProblem(null);
    setSending(null);
    look();
    const box = text.current;
    box?.addEventListener('scroll', look);
    const observer = new ResizeObserver(look);
    if (box) observer.observe(box);
    return () => {
      box?.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, [need.id]);

  const send = async (decision: Decision) => {
    setSending(decision);
    setProblem(null);
    try {
      await answer(need, decision);
    } catch (error) {
      setProblem(problemText(error));
      setSending(null);
    }
  };
  const open = need.state === 'pending';
  const pieces = visiblePieces(need.body);
  const scrolls = !readAll;
  const keys = (event: React.KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'a' && open && readAll && need.answerable && !sending) void send('allow');
    if (event.key === 'd' && open && need.answerable && !sending) void send('deny');
  };
  return (
    <section aria-label={`${need.title}: ${session.name}`} onKeyDown={keys} data-need={need.id}>
      <div className="req">
        <p>{need.title}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long request must be scrollable by keyboard. */}
        <pre className="mono" ref={text} tabIndex={0}>
          {pieces.map((piece, i) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move.
            piece.hidden ? <mark key={i}>{piece.text}</mark> : <span key={i}>{piece.text}</span>,
          )}
        </pre>
        {need.why ? <p className="why">Why: {need.why}</p> : null}
      </div>
      {pieces.some((piece) => piece.hidden) ? (
        <p className="note problem">This request holds characters that cannot be seen; they are marked.</p>
      ) : null}
      <div className="acts">
        {need.answerable ? (
          <>
            <button
              type="button"
              className="btn no-answer"
              disabled={!open || sending !== null}
              onClick={() => void send('deny')}
            >
              Deny <kbd>D</kbd>
            </button>
            <button
              type="button"
              className="btn yes"
              disabled={!open || !readAll || sending !== null}
              title={scrolls ? 'Read it to the end first' : undefined}
              onClick={() => void send('allow')}
            >
              Approve <kbd>A</kbd>
            </button>
          </>
        ) : (
          <span className="hint">Answer this one in the terminal.</span>
        )}
        <span className="sp" />
        {inCard ? (
          <Link className="btn ghost" href={`/session?id=${session.id}`}>
            Open <kbd>↵</kbd>
          </Link>
        ) : null}
      </div>
      <p className="note" aria-live="polite">
        {sending
          ? 'Sent; waiting for the host to record it …'
          : scrolls && open
            ? 'Scroll to the end to approve.'
            : ''}
      </p>
      {problem ? (
        <p className="note problem" role="alert">
          {problem}
        </p>
      ) : null}
    </section>
  );
}

const OUTCOME: Partial<Record<Need['state'], string>> = {
  answered: 'recorded on the host; the agent has not taken it yet',
  delivered: 'taken by the agent',
  confirmed: 'taken by the agent',
};

/** What became of a request a moment ago: by whom, and whether the agent has it. */
export function SettledNote({ need }: { need: Need }) {
  const by = need.answeredByLabel
    ? `${need.decision === 'allow' ? 'Approved' : 'Denied'} on ${need.answeredByLabel}`
    : (need.note ?? 'No longer open.');
  const outcome = need.answeredByLabel ? (OUTCOME[need.state] ?? need.note) : null;
  return (
    <p className="note">
      {by}
      {outcome ? ` · ${outcome}` : ''}
    </p>
  );
}
