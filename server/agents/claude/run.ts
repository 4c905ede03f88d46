import type { AnswerDetail, SessionState } from '../../contract';
import { canonicalJson } from '../../platform';
import {
  type AgentRun,
  type HookCall,
  isConversationId,
  type OutgoingMessage,
  type PromptOutcome,
  type RunContext,
  type VendorEvent,
} from '../port';
import { grantsOf, updateFor } from './grants';
import { followLiveText } from './live-text';
import { followSessionFile } from './session-file';
import { activityLine, describeRequest, failure, quotaOf, recapOf } from './translate';
import { typeMessage } from './typing';
import { Hook, type SessionFile, StatusLine } from './wire';

interface Pending {
  key: string; // tool and input, to know its result by
  main: boolean; // asked by the main thread, which asks one thing at a time
  answered: boolean;
  input: Record<string, unknown>;
  suggestions: readonly unknown[];
  resolve(reply: unknown): void;
}
type Ending = { state: SessionState; reason: string | null; resetsAt: number | null };

/**
 * A hook is a process of its own and may come late, after the Esc that ended its turn; nothing would ever follow it.
 * So what a hook says is held against the session file this much later. The file itself lags by 0.3 s (2.1.197).
 */
const HOOK_HOLDS_MS = 3_000;
const TRUST_LOOK_MS = 1_000;
const TRUST_LOOKS = 60;

const decisionReply = (
  decision: 'allow' | 'deny',
  message: string,
  pending: Pick<Pending, 'input' | 'suggestions'>,
  detail: AnswerDetail,
) => ({
  hookSpecificOutput: {
    hookEventName: 'PermissionRequest',
    decision:
      decision === 'deny'
        ? { behavior: 'deny', message, interrupt: false }
        : {
            behavior: 'allow',
            // Several chosen labels are one text, as the CLI's own dialog writes them.
            ...(detail.answers
              ? {
                  updatedInput: {
                    ...pending.input,
                    answers: Object.fromEntries(
                      Object.entries(detail.answers).map(([question, labels]) => [
                        question,
                        labels.join(', '),
                      ]),
                    ),
                  },
                }
              : {}),
            ...(detail.grant ? { updatedPermissions: updateFor(pending.suggestions, detail.grant) } : {}),
            ...(detail.mode
              ? { updatedPermissions: [{ type: 'setMode', mode: detail.mode, destination: 'session' }] }
              : {}),
          },
  },
});

/** Observes one Claude Code by its hooks, its status line and its live session file. Types nothing. */
export class ClaudeRun implements AgentRun {
  #pending = new Map<string, Pending>();
  #ending: Ending | null = null; // how the last turn ended, until the next begins
  #endedAt = 0;
  #resets: number | null = null; // when the short window resets, from the last status line
  #said: SessionFile | null = null; // what the session file last said
  #doubt: NodeJS.Timeout | null = null;
  #busy = false; // a turn runs, by the last word of either
  #expecting = new Set<{ ours: (prompt: string) => boolean; done: () => void }>();
  #heard = false; // any hook at all
  #stopFile: () => void;
  #stopLive: () => void;
  #trustTimer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(private readonly context: RunContext) {
    const configDir = context.env.CLAUDE_CONFIG_DIR || `${context.userHome}/.claude`;
    this.#stopFile = followSessionFile(
      configDir,
      () => context.pane.pid(),
      (status) => this.#file(status),
      context.now,
    );
    this.#stopLive = followLiveText(context.dir, (live) => this.#emit({ type: 'live', live }));
    this.#lookForTrust(TRUST_LOOKS);
  }

  /** By its session file a dialog is open. */
  get #waiting(): boolean {
    return this.#said?.status === 'waiting';
  }

  #emit(event: VendorEvent): void {
    if (!this.#closed) this.context.emit(event);
  }

  #state(
    source: 'hook' | 'session-file',
    state: SessionState,
    detail: string,
    ending: Ending | null = null,
    anew = false,
  ): void {
    this.#emit({
      type: 'state',
      source,
      state,
      detail,
      reason: ending?.reason ?? null,
      resetsAt: ending?.resetsAt ?? null,
      ...(anew ? { anew } : {}),
    });
  }

  /** Before the first hook only the trust dialog can be open; it has no channel of its own, so the terminal answers. */
  #lookForTrust(left: number): void {
    if (this.#heard || this.#closed || left === 0) return;
    this.#trustTimer = setTimeout(async () => {
      const screen = await this.context.pane.screen().catch(() => []);
      if (this.#heard || this.#closed) return;
      if (screen.some((line) => /trust this folder|trust the files/i.test(line))) {
        this.#emit({
          type: 'state',
          source: 'screen',
          state: 'needs-you',
          detail: 'The trust dialog is on the screen.',
        });
        this.#emit({
          type: 'asked',
          vendorRef: 'trust',
          kind: 'other',
          tool: 'Trust',
          title: 'Asks whether to trust this folder',
          body: this.context.cwd,
          why: null,
          input: { cwd: this.context.cwd },
          answerable: false,
        });
      }
      this.#lookForTrust(left - 1);
    }, TRUST_LOOK_MS);
  }

  /** It works, by a hook; of a subagent that outlived its turn only the line of what it does is news. */
  #works(hook: Hook, detail: string): void {
    if (hook.agent_id && !this.#busy) return;
    this.#state('hook', 'working', detail);
    if (this.#doubt) clearTimeout(this.#doubt);
    this.#doubt = setTimeout(() => {
      if (this.#said && this.#said.status !== 'busy' && this.#pending.size === 0)
        this.#file(this.#said, true);
    }, HOOK_HOLDS_MS);
  }

  #file(said: SessionFile, anew = false): void {
    const { status, waitingFor, statusUpdatedAt } = said;
    const wasWaiting = this.#waiting;
    this.#said = said;
    // The file is read late and stays "busy" while the hooks of the end run. What it said before the end is no news, and
    // taking it for a new turn would forget how the old one ended.
    const saidAt = statusUpdatedAt ?? this.#endedAt - 1;
    if (status === 'busy' && this.#ending && saidAt < this.#endedAt) return;
    this.#busy = status === 'busy';
    // A dialog that closed without our answer was answered in the terminal; also after a restart of the host.
    if (status !== 'waiting' && (wasWaiting || !this.#heard)) {
      this.#settle(() => true, 'answered-elsewhere', 'Answered in the terminal.');
      if (!wasWaiting) {
        this.#emit({
          type: 'settled',
          vendorRef: 'all',
          how: 'answered-elsewhere',
          note: 'Answered in the terminal.',
        });
      }
    }
    this.#heard = true;
    if (status === 'busy') {
      this.#ending = null;
      this.#state('session-file', 'working', 'Its session file says busy.');
    } else if (this.#ending && (status === 'idle' || this.#ending.state === 'limit')) {
      // The file knows only "idle" and "dialog open"; how the turn ended was said by the hook.
      this.#state('session-file', this.#ending.state, `Its session file says ${status}.`, this.#ending, anew);
    } else if (status === 'idle')
      this.#state('session-file', 'idle', 'Its session file says idle.', null, anew);
    else {
      const detail = `Its session file says: ${waitingFor ?? 'waiting'}.`;
      this.#state('session-file', 'needs-you', detail, null, anew);
    }
  }

  #settle(which: (pending: Pending) => boolean, how: 'confirmed' | 'answered-elsewhere', note: string): void {
    for (const [ref, pending] of this.#pending) {
      if (!which(pending)) continue;
      this.#pending.delete(ref);
      // The CLI never ends a hook that lost the race; without this its process would wait for ever.
      pending.resolve(null);
      this.#emit({ type: 'settled', vendorRef: ref, how: pending.answered ? 'confirmed' : how, note });
    }
  }

  #ended(ending: Ending, detail: string): void {
    // Said of the turn that is over now; held up again, it would undo that somebody has looked at its end.
    if (this.#doubt) clearTimeout(this.#doubt);
    this.#ending = ending;
    this.#endedAt = this.context.now();
    this.#busy = false;
    this.#emit({ type: 'live', live: null });
    this.#settle(() => true, 'answered-elsewhere', 'The turn ended.');
    this.#state('hook', ending.state, detail, ending);
  }

  async hook(call: HookCall): Promise<unknown> {
    if (call.event === 'StatusLine') return this.#statusLine(call.payload);
    const parsed = Hook.safeParse(call.payload);
    if (!parsed.success) return null;
    const hook = parsed.data;
    if (!this.#heard) {
      this.#heard = true;
      this.#emit({
        type: 'settled',
        vendorRef: 'trust',
        how: 'answered-elsewhere',
        note: 'Answered in the terminal.',
      });
    }
    const tool = hook.tool_name ?? '';
    const input = hook.tool_input ?? {};
    const key = canonicalJson([tool, input]);
    switch (call.event) {
      case 'SessionStart':
        // /clear begins another conversation in the same process; we are bound to the pane, not to its id.
        if (hook.session_id && isConversationId(hook.session_id))
          this.#emit({ type: 'noted', vendorSession: hook.session_id });
        if (!this.#waiting && !this.#ending) this.#state('hook', 'idle', 'The CLI started.');
        return null;
      case 'UserPromptSubmit':
        this.#ending = null;
        this.#busy = true;
        for (const one of this.#expecting) if (one.ours(hook.prompt ?? '')) one.done();
        this.#settle((p) => p.main, 'answered-elsewhere', 'Answered in the terminal.');
        this.#emit({ type: 'prompt-accepted' });
        this.#works(hook, 'It accepted a prompt.');
        return null;
      case 'PreToolUse':
        this.#emit({ type: 'activity', line: activityLine(tool, input) });
        this.#works(hook, `It uses ${tool}.`);
        return null;
      case 'PermissionRequest':
        return this.#request(call, hook, tool, input, key);
      case 'PostToolUse':
      case 'PostToolUseFailure':
        this.#settle((p) => p.key === key, 'answered-elsewhere', 'Answered in the terminal.');
        this.#works(hook, `${tool} ended.`);
        return null;
      case 'PostToolBatch':
        if (!hook.agent_id) this.#settle((p) => p.main, 'answered-elsewhere', 'Answered in the terminal.');
        return null;
      case 'Stop': {
        const jobs = hook.background_tasks?.length ?? 0;
        if (hook.last_assistant_message)
          this.#emit({ type: 'noted', recap: recapOf(hook.last_assistant_message) });
        this.#ended(
          jobs > 0
            ? {
                state: 'waiting',
                reason: `${jobs} background ${jobs === 1 ? 'job' : 'jobs'}`,
                resetsAt: null,
              }
            : { state: 'finished', reason: null, resetsAt: null },
          'The turn ended.',
        );
        return null;
      }
      case 'StopFailure': {
        const { state, reason } = failure(hook);
        this.#ended(
          { state, reason, resetsAt: state === 'limit' ? this.#resets : null },
          `The turn failed: ${reason}`,
        );
        return null;
      }
      default:
        return null;
    }
  }

  #request(
    call: HookCall,
    hook: Hook,
    tool: string,
    input: Record<string, unknown>,
    key: string,
  ): Promise<unknown> | null {
    const main = !hook.agent_id;
    // The main thread asks one thing at a time, so an older one of it is answered.
    if (main) this.#settle((p) => p.main && p.key !== key, 'answered-elsewhere', 'Answered in the terminal.');
    const described = describeRequest(tool, input);
    const place = hook.cwd && hook.cwd !== this.context.cwd ? { cwd: hook.cwd } : {};
    const grants = described.form || !described.answerable ? null : grantsOf(hook.permission_suggestions);
    const request = grants ? { ...described, form: grants } : described;
    this.#state('hook', 'needs-you', 'It asks for permission.');
    const ask = () =>
      this.#emit({
        type: 'asked',
        vendorRef: call.callId,
        tool,
        input: { tool, input },
        ...place,
        ...request,
      });
    return new Promise((resolve) => {
      this.#pending.set(call.callId, {
        key,
        main,
        answered: false,
        input,
        suggestions: hook.permission_suggestions ?? [],
        resolve,
      });
      call.gone.addEventListener('abort', () => {
        // The hook's process ended: with it the channel for an answer. Its dialog may still stand.
        const pending = this.#pending.get(call.callId);
        if (!pending) return;
        this.#pending.delete(call.callId);
        resolve(null);
        this.#emit({
          type: 'settled',
          vendorRef: call.callId,
          how: pending.answered ? 'confirmed' : 'cancelled',
          note: 'The agent withdrew it.',
        });
      });
      ask();
    });
  }

  #statusLine(payload: unknown): { text: string } | null {
    const parsed = StatusLine.safeParse(payload);
    if (!parsed.success) return null;
    const status = parsed.data;
    const model = status.model?.display_name ?? null;
    const context = status.context_window?.used_percentage ?? null;
    const quota = quotaOf(status, this.context.now());
    this.#resets = quota?.windows[0]?.resetsAt ?? this.#resets;
    this.#emit({
      type: 'noted',
      ...(model === null ? {} : { model }),
      ...(context === null ? {} : { contextPct: context }),
      ...(quota === null ? {} : { quota }),
    });
    return {
      text: [model, context === null ? null : `${Math.round(context)} % context`].filter(Boolean).join(' · '),
    };
  }

  async answer(
    vendorRef: string,
    decision: 'allow' | 'deny',
    message: string,
    detail: AnswerDetail = {},
  ): Promise<'taken' | 'gone'> {
    const pending = this.#closed ? undefined : this.#pending.get(vendorRef);
    if (!pending || pending.answered) return 'gone';
    pending.answered = true;
    pending.resolve(decisionReply(decision, message, pending, detail));
    return 'taken';
  }

  async prompt(message: OutgoingMessage, typed: () => void): Promise<PromptOutcome> {
    const obstacle = () =>
      this.#closed
        ? 'The session is ending.'
        : this.#waiting || this.#pending.size > 0
          ? 'A request is open.'
          : this.#busy
            ? 'It is working.'
            : null;
    const taken = (ours: (prompt: string) => boolean, ms: number): Promise<boolean> =>
      new Promise((resolve) => {
        const entry = {
          ours,
          done: () => {
            clearTimeout(timer);
            this.#expecting.delete(entry);
            resolve(true);
          },
        };
        const timer = setTimeout(() => {
          this.#expecting.delete(entry);
          resolve(false);
        }, ms);
        this.#expecting.add(entry);
      });
    try {
      return await typeMessage(message, { pane: this.context.pane, obstacle, taken }, typed);
    } catch (cause) {
      // The pane refused before anything was typed, or went away: which of the two, nobody can say.
      return { outcome: 'unsure', why: cause instanceof Error ? cause.message : String(cause) };
    }
  }

  async interrupt(): Promise<void> {
    // Esc only while it works: in an open dialog it would answer that dialog.
    if (!this.#waiting && this.#pending.size === 0) await this.context.pane.key('Escape');
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopFile();
    this.#stopLive();
    for (const timer of [this.#trustTimer, this.#doubt]) if (timer) clearTimeout(timer);
  }
}
