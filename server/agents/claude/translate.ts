import type { NeedForm, NeedKind, Question, Quota } from '../../contract';
import { manifest } from './manifest';
import type { Hook, StatusLine } from './wire';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const lines = (value: string, mark: string): string =>
  value
    .split('\n')
    .map((line) => mark + line)
    .join('\n');

export interface Request {
  kind: NeedKind;
  title: string;
  body: string;
  why: string | null;
  answerable: boolean;
  form?: NeedForm;
}

type Loose = { [key: string]: unknown };
const list = (value: unknown): Loose[] => (Array.isArray(value) ? (value as Loose[]) : []);

/** The questions of one request. Answers go back by the question's own words (2.1.197), so those are the ids. */
const questionsOf = (input: Loose): Question[] =>
  list(input.questions).map((one) => ({
    id: text(one.question),
    header: text(one.header) || null,
    question: text(one.question),
    multi: one.multiSelect === true,
    free: true,
    secret: false,
    options: list(one.options).map((option) => ({
      label: text(option.label),
      description: text(option.description) || null,
    })),
  }));

/** Modes a plan can be approved into; one that never asks is not offered on a button. */
const PLAN_MODES = manifest.permissions.filter((mode) => !mode.risky).map(({ id, label }) => ({ id, label }));

/** What is left of an input when what is shown anyway is taken out: nobody approves what is not on the screen. */
function others(input: Loose, shown: readonly string[]): string {
  const left = Object.entries(input).filter(([key, value]) => !shown.includes(key) && value !== undefined);
  return left.length === 0 ? '' : `\n\nAlso: ${JSON.stringify(Object.fromEntries(left), null, 2)}`;
}

/** Pure. A permission request as a person reads it: the complete command, or the complete change. */
export function describeRequest(tool: string, input: Record<string, unknown>): Request {
  const why = text(input.description) || null;
  switch (tool) {
    case 'Bash':
      return {
        kind: 'command',
        title: [
          'Wants to run a command',
          ...(input.dangerouslyDisableSandbox ? ['outside its sandbox'] : []),
          ...(input.run_in_background ? ['in the background'] : []),
        ].join(' '),
        body:
          text(input.command) +
          others(input, [
            'command',
            'description',
            'timeout',
            'dangerouslyDisableSandbox',
            'run_in_background',
          ]),
        why,
        answerable: true,
      };
    case 'Write':
      return {
        kind: 'edit',
        title: 'Wants to write a file',
        body: `${text(input.file_path)}\n${lines(text(input.content), '+')}${others(input, ['file_path', 'content'])}`,
        why: null,
        answerable: true,
      };
    case 'Edit':
      return {
        kind: 'edit',
        title: 'Wants to change a file',
        body:
          [
            text(input.file_path) + (input.replace_all ? ' (every occurrence)' : ''),
            lines(text(input.old_string), '-'),
            lines(text(input.new_string), '+'),
          ].join('\n') + others(input, ['file_path', 'old_string', 'new_string', 'replace_all']),
        why: null,
        answerable: true,
      };
    case 'AskUserQuestion': {
      const questions = questionsOf(input);
      const ids = new Set(questions.map((one) => one.id));
      // Without words, or with the same words twice, an answer could not be told to which question it belongs.
      const clear = questions.length > 0 && ids.size === questions.length && !ids.has('');
      return {
        kind: 'question',
        title: questions.length > 1 ? `Asks ${questions.length} questions` : 'Asks a question',
        body: questions.map((one) => one.question).join('\n') || JSON.stringify(input, null, 2),
        why: null,
        answerable: clear,
        ...(clear ? { form: { type: 'questions', questions, refusable: true } } : {}),
      };
    }
    case 'ExitPlanMode':
      return {
        kind: 'plan',
        title: 'Proposes a plan',
        body: text(input.plan) || JSON.stringify(input, null, 2),
        why: null,
        answerable: text(input.plan) !== '',
        form: { type: 'plan', modes: PLAN_MODES },
      };
    default:
      return {
        kind: 'tool',
        title: `Wants to use ${tool}`,
        body: JSON.stringify(input, null, 2),
        why,
        answerable: true,
      };
  }
}

/** Pure. One line about a tool that is being used. */
export function activityLine(tool: string, input: Record<string, unknown>): string {
  const subject =
    text(input.command) ||
    text(input.file_path) ||
    text(input.pattern) ||
    text(input.url) ||
    text(input.description);
  return `${tool} ${subject.split('\n')[0] ?? ''}`.trim();
}

/** Pure. The first sentence of what it said last. */
export function recapOf(message: string): string {
  const line = message.split('\n').find((l) => l.trim()) ?? '';
  return line.length > 240 ? `${line.slice(0, 239)}…` : line;
}

export function quotaOf(status: StatusLine, now: number): Quota | null {
  const windows = (
    [
      ['5 hours', status.rate_limits?.five_hour],
      ['7 days', status.rate_limits?.seven_day],
    ] as const
  ).flatMap(([label, window]) =>
    window
      ? [
          {
            label,
            usedPct: window.used_percentage,
            resetsAt: window.resets_at ? window.resets_at * 1000 : null,
          },
        ]
      : [],
  );
  return windows.length > 0 ? { windows, at: now, source: 'status line' } : null;
}

/** Pure. What a failed turn means. */
export function failure(hook: Hook): { state: 'limit' | 'signed-out' | 'error'; reason: string } {
  const said = recapOf(hook.last_assistant_message ?? '') || (hook.error ?? 'unknown error');
  if (hook.error === 'rate_limit') return { state: 'limit', reason: said };
  if (hook.error === 'authentication_failed') return { state: 'signed-out', reason: said };
  return { state: 'error', reason: said };
}
