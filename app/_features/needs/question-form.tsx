'use client';
import { useState } from 'react';
import type { AnswerDetail, Question } from '@/server/contract';
import { visiblePieces } from '../../_ui/visible-text';

const plain = (text: string): string =>
  visiblePieces(text)
    .map((piece) => piece.text)
    .join('');

interface Chosen {
  labels: string[];
  own: string;
}
const NONE: Chosen = { labels: [], own: '' };

const answersOf = (question: Question, { labels, own }: Chosen): string[] => {
  const words = own.trim();
  // With one answer allowed, own words are the answer; what was chosen before them was let go.
  return words === '' ? labels : question.multi ? [...labels, words] : [words];
};

/** An agent's questions, with its own answers to choose from and room for other words. */
export function QuestionForm({
  questions,
  disabled,
  onAnswer,
}: {
  questions: readonly Question[];
  disabled: boolean;
  onAnswer: (detail: AnswerDetail) => void;
}) {
  const [chosen, setChosen] = useState<Record<string, Chosen>>({});
  const of = (question: Question) => chosen[question.id] ?? NONE;
  const set = (question: Question, next: Chosen) => setChosen({ ...chosen, [question.id]: next });
  const pick = (question: Question, label: string) => {
    const now = of(question);
    if (!question.multi) set(question, { labels: [label], own: '' });
    else {
      const labels = now.labels.includes(label)
        ? now.labels.filter((one) => one !== label)
        : [...now.labels, label];
      set(question, { ...now, labels });
    }
  };
  const answers = Object.fromEntries(questions.map((one) => [one.id, answersOf(one, of(one))]));
  const complete = questions.every((one) => (answers[one.id]?.length ?? 0) > 0);
  return (
    <form
      className="questions"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && !disabled) onAnswer({ answers });
      }}
      onKeyDown={(event) => {
        // The card's own keys (A, D) are letters here.
        event.stopPropagation();
      }}
    >
      {questions.map((question) => (
        <fieldset key={question.id} disabled={disabled}>
          <legend>
            {question.header ? <span className="hint">{plain(question.header)}</span> : null}
            {plain(question.question)}
            {question.multi ? <span className="hint"> Choose any number.</span> : null}
          </legend>
          {question.options.map((option) => (
            <label key={option.label}>
              <input
                type={question.multi ? 'checkbox' : 'radio'}
                name={question.id}
                checked={of(question).labels.includes(option.label)}
                onChange={() => pick(question, option.label)}
              />
              <span>
                {plain(option.label)}
                {option.description ? <span className="hint">{plain(option.description)}</span> : null}
              </span>
            </label>
          ))}
          {question.free || question.options.length === 0 ? (
            <input
              className="in"
              type={question.secret ? 'password' : 'text'}
              autoComplete="off"
              aria-label={`Other words: ${question.question}`}
              placeholder={question.options.length > 0 ? 'Or in your own words' : 'Your answer'}
              value={of(question).own}
              onChange={(event) =>
                set(question, {
                  labels: question.multi ? of(question).labels : [],
                  own: event.target.value,
                })
              }
            />
          ) : null}
        </fieldset>
      ))}
      <button type="submit" className="btn yes" disabled={disabled || !complete}>
        Answer
      </button>
    </form>
  );
}
