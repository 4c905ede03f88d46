'use client';
import Link from 'next/link';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Decision, Need, Session } from '@/server/contract';
import { answer } from '../../_client/answer';
import { problemText } from '../../_client/api';
import { VisibleText } from './visible-request';

/** A new request may take the place of the one just answered, under the same finger: it can be answered a moment later. */
const SETTLE_MS = 500;

/** `sent` until the host has said that the answer is recorded; what the agent makes of it, the record says. */
type Step = { at: 'open' } | { at: 'sent'; decision: Decision } | { at: 'recorded' };

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
  const [readAll, setReadAll] = useState(false);
  const [calm, setCalm] = useState(false);
  const [step, setStep] = useState<Step>({ at: 'open' });
  const [problem, setProblem] = useState<string | null>(null);
  const shown = useRef('');

  // Another request in the same place must be read anew.
  if (shown.current !== need.digest) {
    shown.current = need.digest;
    if (readAll) setReadAll(false);
    if (calm) setCalm(false);
    if (step.at !== 'open') setStep({ at: 'open' });
    if (problem) setProblem(null);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts anew for each request.
  useEffect(() => {
    const timer = setTimeout(() => setCalm(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [need.digest]);

  const send = async (decision: Decision) => {
    setStep({ at: 'sent', decision });
    setProblem(null);
    try {
      await answer(need, decision);
      setStep({ at: 'recorded' });
    } catch (error) {
      // The request stays open here: nothing was decided that we know of.
      setProblem(problemText(error));
      setStep({ at: 'open' });
    }
  };
  const open = need.state === 'pending' && step.at === 'open' && calm && need.answerable;
  const keys = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
    const decision = event.key === 'a' ? 'allow' : event.key === 'd' ? 'deny' : null;
    if (!decision) return;
    event.preventDefault();
    if (open && (decision === 'deny' || readAll)) void send(decision);
  };
  return (
    <section
      className="need-card"
      aria-label={`${need.title}: ${session.name}`}
      onKeyDown={keys}
      data-need={need.id}
    >
      <div className="req">
        <p>{need.title}</p>
        <VisibleText key={need.digest} text={need.body} onRead={() => setReadAll(true)} />
        {need.why ? <p className="why">Why: {need.why}</p> : null}
      </div>
      <div className="acts">
        {need.answerable ? (
          <>
            <button
              type="button"
              className="btn no-answer"
              data-answer="deny"
              disabled={!open}
              onClick={() => void send('deny')}
            >
              Deny <kbd>D</kbd>
            </button>
            <button
              type="button"
              className="btn yes"
              data-answer="allow"
              disabled={!open || !readAll}
              title={readAll ? undefined : 'Read it to the end first'}
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
        {step.at === 'sent'
          ? 'Sent; waiting for the host to record it …'
          : step.at === 'recorded'
            ? 'Recorded on the host; waiting for the agent …'
            : need.answerable && !readAll
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
