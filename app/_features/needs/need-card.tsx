'use client';
import Link from 'next/link';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { AnswerDetail, Decision, Need, Session } from '@/server/contract';
import { answer } from '../../_client/answer';
import { problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { QuestionForm } from './question-form';
import { Refusal } from './refusal';
import { VisibleRule, VisibleText } from './visible-request';

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
  const [granting, setGranting] = useState(false);
  const shown = useRef('');

  // Another request in the same place must be read anew.
  if (shown.current !== need.digest) {
    shown.current = need.digest;
    if (readAll) setReadAll(false);
    if (calm) setCalm(false);
    if (step.at !== 'open') setStep({ at: 'open' });
    if (problem) setProblem(null);
    if (granting) setGranting(false);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts anew for each request.
  useEffect(() => {
    const timer = setTimeout(() => setCalm(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [need.digest]);

  const send = async (decision: Decision, detail?: AnswerDetail) => {
    setStep({ at: 'sent', decision });
    setProblem(null);
    try {
      await answer(need, decision, detail);
      setStep({ at: 'recorded' });
    } catch (error) {
      // The request stays open here: nothing was decided that we know of.
      setProblem(problemText(error));
      setStep({ at: 'open' });
    }
  };
  // What stands here while the line is down may be answered already; it can be answered when the host has said so again.
  const connected = useBoard().line === 'live';
  const open = need.state === 'pending' && step.at === 'open' && calm && need.answerable && connected;
  const form = need.form ?? null;
  const questions = form?.type === 'questions' ? form : null;
  const plan = form?.type === 'plan' ? form : null;
  const grants = form?.type === 'approval' ? form.grants : [];

  const keys = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
    const decision = event.key === 'a' ? 'allow' : event.key === 'd' ? 'deny' : null;
    // A question is answered with words; a key alone would be no answer.
    if (!decision || questions) return;
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
        <p>
          {need.title}
          {need.cwd === session.cwd ? null : (
            <>
              {' in '}
              <VisibleRule text={need.cwd} />
            </>
          )}
        </p>
        {questions && need.answerable ? (
          <QuestionForm
            key={need.digest}
            questions={questions.questions}
            disabled={!open}
            onAnswer={(detail) => void send('allow', detail)}
          />
        ) : (
          <VisibleText key={need.digest} text={need.body} onRead={() => setReadAll(true)} />
        )}
        {need.why ? <p className="why">Why: {need.why}</p> : null}
      </div>
      <div className="acts">
        {questions && need.answerable ? (
          questions.refusable ? (
            <button type="button" className="btn" disabled={!open} onClick={() => void send('deny')}>
              Do not answer
            </button>
          ) : null
        ) : need.answerable ? (
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
            {plan?.modes
              .filter((mode) => mode.id !== session.permission)
              .map((mode) => (
                <button
                  key={mode.id}
                  type="button"
                  className="btn"
                  disabled={!open || !readAll}
                  onClick={() => void send('allow', { mode: mode.id })}
                >
                  Approve: {mode.label.toLowerCase()}
                </button>
              ))}
          </>
        ) : (
          <span className="hint">Answer this one in the terminal.</span>
        )}
        {grants.length > 0 && need.answerable ? (
          <button
            type="button"
            className="btn ghost"
            aria-expanded={granting}
            disabled={!open || !readAll}
            onClick={() => setGranting(!granting)}
          >
            Always allow …
          </button>
        ) : null}
        <span className="sp" />
        {inCard ? (
          <Link className="btn ghost" href={`/session?id=${session.id}`}>
            Open <kbd>↵</kbd>
          </Link>
        ) : null}
      </div>
      {granting && open
        ? grants.map((grant) => (
            <div key={grant.id} className="grant">
              <p>
                Allows <VisibleRule text={grant.rule} /> without asking, {grant.holds}.
              </p>
              <button
                type="button"
                className="btn"
                disabled={!open || !readAll}
                onClick={() => void send('allow', { grant: grant.id })}
              >
                Approve and allow from now on
              </button>
            </div>
          ))
        : null}
      {plan && need.answerable ? (
        <Refusal
          label="What to change in the plan"
          act="Send back"
          disabled={!open}
          onSend={(text) => void send('deny', { text })}
        />
      ) : null}
      <p className="note" aria-live="polite">
        {step.at === 'sent'
          ? 'Sent; waiting for the host to record it …'
          : step.at === 'recorded'
            ? 'Recorded on the host; waiting for the agent …'
            : need.answerable && !connected
              ? 'Not connected: this can be answered when the host is back.'
              : need.answerable && !readAll && !questions
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
