import { z } from 'zod';
import { type AnswerDetail, SessionState } from '../../contract';
import { readIfThere } from '../../platform';
import type { AgentRun, HookCall, OutgoingMessage, PromptOutcome, RunContext } from '../port';

/** What the agent program says; see agent.ts, which writes exactly this. */
const Signal = z.object({
  state: SessionState.optional(),
  detail: z.string().optional(),
  reason: z.string().nullish(),
  resetsAt: z.number().nullish(),
  contextPct: z.number().optional(),
  recap: z.string().optional(),
  activity: z.string().optional(),
  quota: z.object({ used: z.number(), resetsAt: z.number() }).optional(),
});
const Request = z.object({
  ref: z.string(),
  kind: z.enum(['command', 'edit', 'question']),
  body: z.string(),
  why: z.string().nullable(),
  options: z.array(z.string()).default([]),
});
const Live = z.object({ ref: z.string(), text: z.string() });
const Answered = z.object({ ref: z.string(), by: z.enum(['terminal', 'offdeck']) });

const TAKEN_MS = 3_000;
const TITLES = {
  command: 'Wants to run a command',
  edit: 'Wants to change a file',
  question: 'Asks a question',
} as const;

export class ScriptedRun implements AgentRun {
  #pending = new Map<
    string,
    (reply: { decision: 'allow' | 'deny' | null; message: string; answer?: string }) => void
  >();

  constructor(private readonly context: RunContext) {
    // The agent's own status file says what was said while the host was away.
    const status = readIfThere(`${context.dir}/status.json`);
    if (status !== null) this.#signal(JSON.parse(status), 'session-file');
  }

  #signal(payload: unknown, source: 'hook' | 'session-file'): void {
    const signal = Signal.safeParse(payload);
    if (!signal.success) return;
    const { state, detail, reason, resetsAt, contextPct, recap, activity, quota } = signal.data;
    const { emit, now } = this.context;
    if (activity !== undefined) emit({ type: 'activity', line: activity });
    if (contextPct !== undefined || recap !== undefined || quota !== undefined) {
      emit({
        type: 'noted',
        ...(contextPct === undefined ? {} : { contextPct }),
        ...(recap === undefined ? {} : { recap }),
        ...(quota === undefined
          ? {}
          : {
              quota: {
                windows: [{ label: '5 hours', usedPct: quota.used, resetsAt: quota.resetsAt }],
                at: now(),
                source: 'script',
              },
            }),
      });
    }
    if (state !== undefined) {
      emit({
        type: 'state',
        source,
        state,
        detail: detail ?? `The script says ${state}.`,
        reason: reason ?? null,
        resetsAt: resetsAt ?? null,
      });
      if (state !== 'needs-you' && source === 'session-file') {
        emit({
          type: 'settled',
          vendorRef: 'all',
          how: 'answered-elsewhere',
          note: 'Answered while the host was away.',
        });
      }
    }
  }

  async hook(call: HookCall): Promise<unknown> {
    if (call.event === 'signal') {
      this.#signal(call.payload, 'hook');
      return { ok: true };
    }
    if (call.event === 'prompt') {
      this.#heard(z.object({ text: z.string() }).parse(call.payload).text);
      this.context.emit({ type: 'prompt-accepted' });
      return { ok: true };
    }
    if (call.event === 'live') {
      this.context.emit({ type: 'live', live: Live.parse(call.payload) });
      return { ok: true };
    }
    if (call.event === 'answered') {
      const { ref, by } = Answered.parse(call.payload);
      this.#pending.delete(ref);
      this.context.emit({
        type: 'settled',
        vendorRef: ref,
        how: by === 'offdeck' ? 'confirmed' : 'answered-elsewhere',
        note: 'Answered in the terminal.',
      });
      return { ok: true };
    }
    if (call.event !== 'request') return null;
    const request = Request.parse(call.payload);
    this.context.emit({
      type: 'state',
      source: 'hook',
      state: 'needs-you',
      detail: 'It asked through its hook.',
    });
    return new Promise((resolve) => {
      this.#pending.set(request.ref, resolve);
      call.gone.addEventListener('abort', () => {
        this.#pending.delete(request.ref);
        resolve(null);
      });
      this.context.emit({
        type: 'asked',
        vendorRef: request.ref,
        kind: request.kind,
        tool: request.kind === 'edit' ? 'Edit' : request.kind === 'question' ? 'Question' : 'Shell',
        title: TITLES[request.kind],
        body: request.body,
        why: request.why,
        input: { kind: request.kind, body: request.body },
        answerable: request.kind !== 'question' || request.options.length > 0,
        ...(request.kind === 'question' && request.options.length > 0
          ? {
              form: {
                type: 'questions',
                refusable: true,
                questions: [
                  {
                    id: 'q',
                    header: null,
                    question: request.body,
                    multi: false,
                    free: true,
                    secret: false,
                    options: request.options.map((label) => ({ label, description: null })),
                  },
                ],
              },
            }
          : {}),
      });
    });
  }

  async answer(
    vendorRef: string,
    decision: 'allow' | 'deny',
    message: string,
    detail: AnswerDetail = {},
  ): Promise<'taken' | 'gone'> {
    const resolve = this.#pending.get(vendorRef);
    if (!resolve) return 'gone';
    this.#pending.delete(vendorRef);
    const answer = detail.answers?.q?.join(', ');
    resolve({ decision, message, ...(answer ? { answer } : {}) });
    return 'taken';
  }

  #heard: (text: string) => void = () => {};

  async prompt({ text, command, images = [] }: OutgoingMessage, typed: () => void): Promise<PromptOutcome> {
    if (this.#pending.size > 0) return { outcome: 'not-now', why: 'A request is open.' };
    const lines = await this.context.pane.screen();
    const last = lines.findLast((line) => line.trim() !== '') ?? '';
    if (last.trim() !== '❯') {
      return { outcome: 'not-now', why: 'Something half typed stands at its prompt, or it is working.' };
    }
    const taken = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), TAKEN_MS);
      this.#heard = (said) => {
        if (said.trim() !== text.trim()) return;
        clearTimeout(timer);
        resolve(true);
      };
    });
    // As its elders do, it takes a leading slash for a command.
    const words = command || !text.startsWith('/') ? text : ` ${text}`;
    await this.context.pane.paste(images.map((path) => `[image ${path}] `).join('') + words);
    await this.context.pane.key('Enter');
    typed();
    return (await taken)
      ? { outcome: 'accepted' }
      : { outcome: 'unsure', why: 'It did not say that it took it.' };
  }

  async interrupt(): Promise<void> {
    await this.context.pane.key('Escape');
  }

  async close(): Promise<void> {
    for (const resolve of this.#pending.values()) resolve({ decision: null, message: '' });
    this.#pending.clear();
  }
}
