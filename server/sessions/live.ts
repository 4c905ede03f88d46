import type { AgentRun, VendorEvent } from '../agents/port';
import type { DomainEvent, Evidence, EvidenceSource, LiveText, SessionId, SessionState } from '../contract';
import type { Log } from '../log';
import type { Clock } from '../platform';
import { fuse, type Vote } from './fuse';
import type { SessionReader } from './store';

type Note = Extract<DomainEvent, { type: 'session.noted' }>['note'];

/** Notes are gathered this long, so a chatty agent costs a few commits a second and not hundreds. */
const NOTE_MS = 250;

/**
 * One session that runs: its vendor's observer, the votes about its state, and the notes not yet committed. Ends
 * with `stop`, which leaves the CLI alone.
 */
export class LiveSession {
  run: AgentRun | null = null;
  /** Resolves when `run` is set: a hook that reconnects at once after a restart waits for it. */
  readonly attached: Promise<void>;
  #attach: () => void = () => {};
  #votes = new Map<EvidenceSource, Vote>();
  #shown: string | null = null;
  #recheck: NodeJS.Timeout | null = null;
  #notes: Note = {};
  #noteTimer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(
    readonly id: SessionId,
    private readonly deps: {
      log: Log;
      clock: Clock;
      reader: SessionReader;
      onNeed(sessionId: SessionId, event: Extract<VendorEvent, { type: 'asked' | 'settled' }>): void;
      onLive(sessionId: SessionId, live: LiveText | null): void;
    },
  ) {
    this.attached = new Promise((resolve) => {
      this.#attach = resolve;
    });
  }

  setRun(run: AgentRun): void {
    this.run = run;
    this.#attach();
  }

  receive(event: VendorEvent): void {
    if (this.#stopped) return;
    switch (event.type) {
      case 'state':
        this.vote(
          event.source,
          event.state,
          event.detail,
          event.reason ?? null,
          event.resetsAt ?? null,
          event.anew,
        );
        break;
      case 'noted': {
        const { type: _, ...note } = event;
        this.#note(note);
        break;
      }
      case 'activity':
        this.#note({ activity: [...(this.#notes.activity ?? []), event.line.slice(0, 400)].slice(-4) });
        break;
      case 'live':
        this.deps.onLive(this.id, event.live);
        break;
      case 'prompt-accepted':
        this.#note({ promptKept: false });
        this.#flush();
        break;
      case 'asked':
      case 'settled':
        this.deps.onNeed(this.id, event);
        break;
    }
  }

  vote(
    source: EvidenceSource,
    state: SessionState,
    detail: string,
    reason: string | null,
    resetsAt: number | null,
    anew = false,
  ): void {
    const before = this.#votes.get(source);
    const at = this.deps.clock.now();
    // The same claim again keeps its first moment: elapsed time is since it began, not since it was last said.
    const same =
      !anew && before && before.state === state && before.reason === reason && before.resetsAt === resetsAt;
    this.#votes.set(source, { source, state, at: same ? before.at : at, detail, reason, resetsAt });
    this.#decide();
  }

  #decide(): void {
    if (this.#stopped) return;
    if (this.#recheck) clearTimeout(this.#recheck);
    this.#recheck = null;
    const now = this.deps.clock.now();
    const { winner, recheck } = fuse(this.#votes.values(), now);
    if (recheck !== null) {
      this.#recheck = setTimeout(() => this.#decide(), Math.max(0, recheck - now) + 5);
      this.#recheck.unref();
    }
    if (!winner) return;
    // One turn's end is shown once: after the person has looked (finished → idle) the same vote must not undo that.
    const key = `${winner.source} ${winner.state} ${winner.at} ${winner.reason}`;
    if (key === this.#shown) return;
    const current = this.deps.reader.get(this.id);
    if (!current || current.state === 'exited') return;
    this.#shown = key;
    const seenAlready = winner.state === 'finished' && current.state === 'idle';
    const idleAfterFinish = winner.state === 'idle' && current.state === 'finished';
    if (
      current.state === winner.state &&
      current.reason === winner.reason &&
      current.resetsAt === winner.resetsAt
    )
      return;
    if (idleAfterFinish || (seenAlready && current.since >= winner.at - 2_000)) return;
    this.#flush();
    const evidence: Evidence[] = [...this.#votes.values()]
      .sort((a, b) => b.at - a.at)
      .map(({ source, state, at, detail }) => ({ source, state, at, detail }));
    this.deps.log.commit([
      {
        type: 'session.state-changed',
        sessionId: this.id,
        state: winner.state,
        since: winner.at,
        reason: winner.reason,
        resetsAt: winner.resetsAt,
        evidence,
      },
    ]);
  }

  #note(note: Note): void {
    this.#notes = { ...this.#notes, ...note };
    this.#noteTimer ??= setTimeout(() => this.#flush(), NOTE_MS);
  }

  #flush(): void {
    if (this.#noteTimer) clearTimeout(this.#noteTimer);
    this.#noteTimer = null;
    const note = this.#notes;
    this.#notes = {};
    const current = this.deps.reader.get(this.id);
    if (!current) return;
    const { activity, ...rest } = note;
    const changed = Object.entries(rest).filter(
      ([key, value]) => JSON.stringify(current[key as keyof typeof current]) !== JSON.stringify(value),
    );
    if (changed.length === 0 && !activity?.length) return;
    const kept: Note = Object.fromEntries(changed);
    this.deps.log.commit([
      { type: 'session.noted', sessionId: this.id, note: activity?.length ? { ...kept, activity } : kept },
    ]);
  }

  /** From here on nothing the vendor says counts: what happens while we shut down is not the agent's doing. */
  mute(): void {
    if (!this.#stopped) this.#flush();
    this.#stopped = true;
    if (this.#recheck) clearTimeout(this.#recheck);
  }

  async stop(): Promise<void> {
    this.mute();
    this.deps.onLive(this.id, null);
    this.#attach();
    await this.run?.close();
    this.run = null;
  }
}
