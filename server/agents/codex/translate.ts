import type { Quota, SessionState } from '../../contract';
import type { VendorEvent } from '../port';
import { changeLines } from './changes';
import {
  type Change,
  type Item,
  OfError,
  OfItem,
  OfStatus,
  OfTurn,
  RateLimits,
  SettingsUpdated,
  type ThreadStatus,
  TokenUsage,
  type Turn,
  type TurnError,
} from './protocol';
import { quotaOf, resetOf } from './quota';
import { plainCommand } from './requests';

const state = (
  name: SessionState,
  detail: string,
  reason: string | null = null,
  resetsAt: number | null = null,
): VendorEvent => ({ type: 'state', source: 'api', state: name, detail, reason, resetsAt });

/**
 * What the app-server says about one thread, as our events. Keeps only what later messages refer to: the running turn,
 * the patches of its items, the limits last heard of. No input or output.
 */
export class Translator {
  /** The turn that runs, or null. */
  turn: string | null = null;
  #changes = new Map<string, Change[]>();
  #shown = new Set<string>();
  #said = '';
  #planned = false;
  #quota: Quota | null = null;

  constructor(private readonly about: { cwd: string; now(): number }) {}

  changesOf(itemId: string): Change[] | null {
    return this.#changes.get(itemId) ?? null;
  }

  /** Takes up a thread in the middle: its last turn and its status. `reported`: the turn whose end was told already. */
  seed(status: ThreadStatus, last: Turn | null, reported: string | null): VendorEvent[] {
    this.turn = null;
    if (last?.status === 'inProgress' && status.type === 'active') {
      this.turn = last.id;
      for (const item of last.items) this.#keep(item);
      return [this.#active(status)];
    }
    if (status.type === 'active') return [this.#active(status)];
    if (!last) return [state('idle', 'The conversation has no turn yet.')];
    if (last.status === 'completed' && last.id === reported) {
      return [state('idle', 'Its last turn has ended.')];
    }
    return this.#ended(last);
  }

  /** A notification about this thread, or about the account. Unknown ones give nothing. */
  notification(method: string, params: unknown): VendorEvent[] {
    switch (method) {
      case 'turn/started': {
        const turn = OfTurn.safeParse(params).data?.turn;
        if (!turn) return [];
        this.turn = turn.id;
        this.#changes.clear();
        this.#shown.clear();
        return [state('working', 'The app-server started a turn.')];
      }
      case 'turn/completed': {
        const turn = OfTurn.safeParse(params).data?.turn;
        return turn ? this.#ended(turn) : [];
      }
      case 'thread/status/changed': {
        const status = OfStatus.safeParse(params).data?.status;
        // The end of a turn is told by turn/completed, which also says how it ended.
        return status?.type === 'active' ? [this.#active(status)] : [];
      }
      case 'item/started':
      case 'item/completed': {
        const item = OfItem.safeParse(params).data?.item;
        return item ? this.#item(item, method === 'item/completed') : [];
      }
      case 'error': {
        const error = OfError.safeParse(params).data;
        // It tries again: still working, but a person who looks should see why nothing moves.
        return error?.willRetry
          ? [state('working', [error.error.message, error.error.additionalDetails].filter(Boolean).join(' '))]
          : [];
      }
      case 'thread/tokenUsage/updated': {
        const usage = TokenUsage.safeParse(params).data?.tokenUsage;
        if (!usage?.modelContextWindow) return [];
        const pct = Math.round((usage.last.totalTokens / usage.modelContextWindow) * 100);
        return [{ type: 'noted', contextPct: Math.min(100, Math.max(0, pct)) }];
      }
      case 'account/rateLimits/updated': {
        const limits = RateLimits.safeParse(params).data?.rateLimits;
        // Other limits, as of a single feature, do not stop the agent.
        if (!limits || (limits.limitId && limits.limitId !== 'codex')) return [];
        this.#quota = quotaOf(limits, this.about.now()) ?? this.#quota;
        return this.#quota ? [{ type: 'noted', quota: this.#quota }] : [];
      }
      case 'thread/settings/updated': {
        const settings = SettingsUpdated.safeParse(params).data?.threadSettings;
        return settings ? [{ type: 'noted', model: settings.model }] : [];
      }
      default:
        return [];
    }
  }

  #active(status: ThreadStatus): VendorEvent {
    const flags = status.activeFlags ?? [];
    if (flags.includes('waitingOnApproval'))
      return state('needs-you', 'The app-server waits for an approval.');
    if (flags.includes('waitingOnUserInput'))
      return state('needs-you', 'The app-server waits for an answer.');
    return state('working', 'The app-server says that the thread is active.');
  }

  #keep(item: Item): void {
    if (item.type === 'fileChange') this.#changes.set(item.id, item.changes);
    if (item.type === 'plan') this.#planned = true;
    if (item.type === 'agentMessage' || item.type === 'plan') this.#said = item.text || this.#said;
  }

  #item(item: Item, done: boolean): VendorEvent[] {
    this.#keep(item);
    const line = (text: string): VendorEvent[] => [{ type: 'activity', line: text }];
    switch (item.type) {
      case 'commandExecution': {
        const text = `$ ${plainCommand(item.command)}`;
        if (!done) {
          // Without a process it only waits for its approval.
          if (!item.processId) return [];
          this.#shown.add(item.id);
          return line(text);
        }
        if (item.status === 'declined') return line(`Refused: ${text}`);
        const failed = item.exitCode ? ` (exit ${item.exitCode})` : '';
        return this.#shown.has(item.id) && !failed ? [] : line(`${text}${failed}`);
      }
      case 'fileChange': {
        if (!done) return [];
        const refused =
          item.status === 'completed' ? '' : item.status === 'declined' ? 'Refused: ' : 'Failed: ';
        return changeLines(item.changes, this.about.cwd).flatMap((text) => line(`${refused}${text}`));
      }
      case 'mcpToolCall':
        return done ? line(`${item.server}: ${item.tool}`) : [];
      case 'webSearch':
        return done && item.query ? line(`Search: ${item.query}`) : [];
      case 'contextCompaction':
        return done ? line('Compacted the conversation') : [];
      default:
        return [];
    }
  }

  #ended(turn: Turn): VendorEvent[] {
    this.turn = null;
    for (const item of turn.items) this.#keep(item);
    const recap = firstSentence(this.#said);
    const said: VendorEvent[] = recap ? [{ type: 'noted', recap }] : [];
    const planned = this.#planned;
    this.#said = '';
    this.#planned = false;
    switch (turn.status) {
      case 'completed': {
        return [
          ...said,
          state(
            'finished',
            planned ? 'The turn ended with a plan; the terminal offers to carry it out.' : 'The turn ended.',
          ),
        ];
      }
      case 'failed':
        return [...said, this.#failed(turn.error ?? { message: 'The turn failed.' })];
      case 'interrupted':
        // A turn that a person stopped has an end; one that its server took with it has none.
        return turn.completedAt
          ? [state('idle', 'The turn was interrupted.')]
          : [state('error', 'The turn has no end.', 'The app-server of Codex ended during the turn.')];
      case 'inProgress':
        return [state('error', 'The turn has no end.', 'The app-server of Codex ended during the turn.')];
    }
  }

  #failed(error: TurnError): VendorEvent {
    const { message, codexErrorInfo: info } = error;
    if (info === 'usageLimitExceeded') {
      return state('limit', 'The turn failed with usageLimitExceeded.', message, resetOf(this.#quota));
    }
    if (info === 'unauthorized' || httpStatus(info) === 401) {
      return state('signed-out', 'The turn failed as unauthorized.', message);
    }
    return state('error', `The turn failed${typeof info === 'string' ? ` with ${info}` : ''}.`, message);
  }
}

const httpStatus = (info: unknown): number | null => {
  for (const value of Object.values(info !== null && typeof info === 'object' ? info : {})) {
    const code = (value as { httpStatusCode?: unknown } | null)?.httpStatusCode;
    if (typeof code === 'number') return code;
  }
  return null;
};

/** Pure. The first sentence of what the agent said, for one line on a card; empty when it said nothing. */
export function firstSentence(text: string): string {
  const line =
    text
      .split('\n')
      .map((part) => part.replace(/^[#>*\-\s]+/, '').trim())
      .find(Boolean) ?? '';
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > 240 ? `${sentence.slice(0, 239).trimEnd()}…` : sentence;
}
