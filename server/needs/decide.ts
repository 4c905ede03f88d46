import type { VendorEvent } from '../agents/port';
import {
  AnswerDetail,
  AppError,
  type Decision,
  type DomainEvent,
  type Need,
  NeedId,
  type NeedState,
  type SessionId,
} from '../contract';
import { canonicalJson, sha256 } from '../platform';

/** How long an approval can be given. Twelve hours: a person who left the desk may answer from the train home. */
export const LIFETIME_MS = 12 * 3_600_000;

export const OPEN: readonly NeedState[] = ['pending', 'answered', 'delivered'];
export const isOpen = (need: Need): boolean => OPEN.includes(need.state);

/** A request as a vendor reports it. */
export type Asked = Omit<Extract<VendorEvent, { type: 'asked' }>, 'type'>;

/** Pure. The record of a new request; its digest names everything the person is about to approve. */
export function recordNeed(
  asked: Asked,
  about: { id: string; sessionId: SessionId; home: string; now: number },
): Need {
  const cwd = asked.cwd ?? about.home;
  const bound = {
    id: about.id,
    sessionId: about.sessionId,
    vendorRef: asked.vendorRef,
    kind: asked.kind,
    tool: asked.tool,
    title: asked.title,
    body: asked.body,
    input: asked.input ?? null,
    form: asked.form ?? null,
    cwd,
    created: about.now,
    expires: about.now + LIFETIME_MS,
  };
  return {
    vendorRef: asked.vendorRef,
    kind: asked.kind,
    tool: asked.tool,
    title: asked.title,
    body: asked.body,
    why: asked.why,
    answerable: asked.answerable,
    form: asked.form ?? null,
    detail: null,
    input: asked.input ?? null,
    id: NeedId.parse(about.id),
    sessionId: about.sessionId,
    cwd,
    digest: sha256(canonicalJson(bound)),
    state: 'pending',
    decision: null,
    answeredBy: null,
    answeredByLabel: null,
    created: about.now,
    expires: about.now + LIFETIME_MS,
    settled: null,
    note: null,
  };
}

/** Pure. Whether a request is the recorded one, in all that an answer could be about. */
export const sameRequest = (need: Need, asked: Asked, home: string): boolean =>
  canonicalJson([need.tool, need.title, need.body, need.input, need.form, need.cwd, need.answerable]) ===
  canonicalJson([
    asked.tool,
    asked.title,
    asked.body,
    asked.input ?? null,
    asked.form ?? null,
    asked.cwd ?? home,
    asked.answerable,
  ]);

const ENDED: Record<NeedState, string> = {
  pending: 'It is still open.',
  answered: 'It has been answered.',
  delivered: 'It has been answered.',
  confirmed: 'It has been answered.',
  expired: 'It expired; the question still stands in the terminal.',
  'answered-elsewhere': 'It was answered in the terminal.',
  cancelled: 'The agent withdrew it.',
  superseded: 'The agent asks something else now.',
  lost: 'The host lost the connection to it; answer in the terminal.',
};

/**
 * Pure. May this answer be recorded? 'repeat' means the same device said the same before: it gets the same result
 * . Everything else that does not fit exactly is refused with its reason, and nothing is resolved.
 */
export function judgeAnswer(
  need: Need,
  answer: { digest: string; decision: Decision; detail?: string | undefined; deviceId: string },
  now: number,
): 'record' | 'repeat' {
  const refuse = (message: string): never => {
    throw new AppError({ code: 'conflict', message: `Not applied. ${message}` });
  };
  if (answer.digest !== need.digest) return refuse('The request on the screen is not the one that is open.');
  if (need.answeredBy !== null) {
    const same = need.decision === answer.decision && (need.detail ?? null) === (answer.detail ?? null);
    if (need.answeredBy === answer.deviceId && same) return 'repeat';
    return refuse(`Already ${need.decision === 'allow' ? 'approved' : 'denied'} on ${need.answeredByLabel}.`);
  }
  if (need.state !== 'pending') return refuse(need.note ?? ENDED[need.state]);
  if (!need.answerable) return refuse('This can only be answered in the terminal.');
  if (now >= need.expires) return refuse(ENDED.expired);
  return 'record';
}

/** Pure. What an answer carries, checked against what was asked. Throws AppError `bad-input`; nothing is resolved then. */
export function readDetail(need: Need, decision: Decision, detail: string | undefined): AnswerDetail {
  const refuse = (message: string): never => {
    throw new AppError({ code: 'bad-input', message: `Not applied. ${message}` });
  };
  let given: AnswerDetail = {};
  if (detail !== undefined) {
    let value: unknown;
    try {
      value = JSON.parse(detail);
    } catch {
      // Judged below: undefined fits no schema.
    }
    const parsed = AnswerDetail.safeParse(value);
    given = parsed.success ? parsed.data : refuse('The answer was not understood.');
  }
  const { form } = need;
  if (form?.type === 'questions') {
    if (decision === 'deny' && !form.refusable) refuse('This question can only be left in the terminal.');
    for (const question of decision === 'allow' ? form.questions : []) {
      const answers = (given.answers?.[question.id] ?? []).filter((answer) => answer.trim() !== '');
      if (answers.length === 0) refuse(`"${question.question}" has no answer.`);
      if (answers.length > 1 && !question.multi) refuse(`"${question.question}" takes one answer.`);
      const labels = question.options.map((option) => option.label);
      if (!question.free && answers.some((answer) => !labels.includes(answer))) {
        refuse(`"${question.question}" takes one of its own answers.`);
      }
    }
  }
  if (given.answers !== undefined) {
    const asked = form?.type === 'questions' ? form.questions.map((question) => question.id) : [];
    if (Object.keys(given.answers).some((id) => !asked.includes(id))) refuse('That was not asked.');
  }
  if (given.grant !== undefined) {
    const known = form?.type === 'approval' && form.grants.some((grant) => grant.id === given.grant);
    if (!known || decision !== 'allow') refuse('There is no such rule.');
  }
  if (given.mode !== undefined) {
    const known = form?.type === 'plan' && form.modes.some((mode) => mode.id === given.mode);
    if (!known) refuse('There is no such mode.');
  }
  return given;
}

/**
 * Pure. What the vendor's word about a request's end means for our record; null: nothing to change. `interrupted`: the
 * host stopped while the answer was being handed over, so nobody here knows whether the agent has it.
 */
export function settle(
  need: Need,
  how: 'confirmed' | 'answered-elsewhere' | 'cancelled',
  note: string,
  interrupted = false,
): Extract<DomainEvent, { type: 'need.moved' }> | null {
  if (!isOpen(need)) return null;
  const moved = (state: NeedState, text: string | null) => ({
    type: 'need.moved' as const,
    needId: need.id,
    state,
    note: text,
  });
  // Our answer reached the agent, so whatever it does next is the proof that it was taken.
  if (need.state === 'delivered') return moved(how === 'cancelled' ? 'lost' : 'confirmed', null);
  if (need.state === 'answered') {
    // The vendor may see its agent act before the call that delivered the answer has returned.
    if (how === 'confirmed') return moved('confirmed', null);
    return moved(
      'lost',
      interrupted
        ? 'The host stopped while it handed this answer over; whether the agent took it, its terminal shows.'
        : `The answer came too late: ${note}`,
    );
  }
  return moved(how === 'confirmed' ? 'answered-elsewhere' : how, note);
}
