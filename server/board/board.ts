import type {
  BoardSnapshot,
  BoardUpdate,
  LoggedEvent,
  Message,
  Need,
  Project,
  Session,
  VendorManifest,
  Worktree,
} from '../contract';
import type { Log } from '../log';

/** A card keeps saying by whom a request was settled this long. */
const RECENT_MS = 60_000;
/** A message that arrived stays known this long, for the times of its receipt. */
const RECENT_MESSAGES_MS = 10 * 60_000;
/** A cursor further back than this gets a snapshot instead of rows. */
const MAX_CATCH_UP = 500;

export interface BoardDeps {
  log: Log;
  now(): number;
  vendors: readonly VendorManifest[];
  read: {
    session(id: string): Session | null;
    sessions(): Session[];
    need(id: string): Need | null;
    needs(settledSince: number): Need[];
    message(id: string): Message | null;
    messages(movedSince: number): Message[];
    project(id: string): Project | null;
    projects(): Project[];
    worktree(id: string): Worktree | null;
    worktrees(): Worktree[];
  };
}

export interface Board {
  snapshot(): BoardSnapshot;
  feed(after: number | null, signal: AbortSignal): AsyncGenerator<{ seq: number; update: BoardUpdate }>;
}

export function createBoard({ log, now, vendors, read }: BoardDeps): Board {
  const snapshot = (): BoardSnapshot => ({
    seq: log.head(),
    sessions: read.sessions(),
    needs: read.needs(now() - RECENT_MS),
    messages: read.messages(now() - RECENT_MESSAGES_MS),
    projects: read.projects(),
    worktrees: read.worktrees(),
    vendors: [...vendors],
  });

  /** The row a fact is about, as it is now; null when it is gone. */
  const rowOf = ({ event }: LoggedEvent): BoardUpdate | null => {
    const wrap = <K extends string, V>(type: K, key: K, value: V | null) =>
      value === null ? null : ({ type, [key]: value } as unknown as BoardUpdate);
    switch (event.type) {
      case 'project.added':
        return wrap('project', 'project', read.project(event.project.id));
      case 'project.trusted':
      case 'project.branch-seen':
        return wrap('project', 'project', read.project(event.projectId));
      case 'worktree.added':
        return wrap('worktree', 'worktree', read.worktree(event.worktree.id));
      case 'session.started':
        return wrap('session', 'session', read.session(event.session.id));
      case 'message.kept':
        return wrap('message', 'message', read.message(event.message.id));
      case 'message.edited':
      case 'message.moved':
        return wrap('message', 'message', read.message(event.messageId));
      case 'need.asked':
        return wrap('need', 'need', read.need(event.need.id));
      case 'need.answered':
      case 'need.moved':
        return wrap('need', 'need', read.need(event.needId));
      default:
        return wrap('session', 'session', read.session(event.sessionId));
    }
  };
  const keyOf = (update: BoardUpdate): string => {
    switch (update.type) {
      case 'snapshot':
        return 'snapshot';
      case 'session':
        return update.session.id;
      case 'need':
        return update.need.id;
      case 'message':
        return update.message.id;
      case 'project':
        return update.project.id;
      case 'worktree':
        return update.worktree.id;
    }
  };

  return {
    snapshot,
    async *feed(after, signal) {
      let waiting: LoggedEvent[] = [];
      let wake: () => void = () => {};
      // Listen before reading the past: a fact committed in between must not fall into the gap.
      const stop = log.subscribe((logged) => {
        waiting.push(logged);
        wake();
      });
      const onAbort = () => wake();
      signal.addEventListener('abort', onAbort);
      try {
        let seen = after ?? 0;
        const missed = after === null || after > log.head() ? null : log.since(after, MAX_CATCH_UP + 1);
        if (missed === null || missed.length > MAX_CATCH_UP) {
          const first = snapshot();
          seen = first.seq;
          yield { seq: first.seq, update: { type: 'snapshot', snapshot: first } };
        } else waiting = [...missed, ...waiting];
        while (!signal.aborted) {
          if (waiting.length === 0) {
            await new Promise<void>((resolve) => {
              wake = resolve;
              if (waiting.length > 0 || signal.aborted) resolve();
            });
            continue;
          }
          // Rows, not patches: of many facts about one row only its present shape is sent, once.
          const batch = new Map<string, { seq: number; update: BoardUpdate }>();
          for (const logged of waiting) {
            if (logged.seq <= seen) continue;
            seen = logged.seq;
            const update = rowOf(logged);
            if (update) {
              batch.delete(keyOf(update));
              batch.set(keyOf(update), { seq: logged.seq, update });
            }
          }
          waiting = [];
          yield* batch.values();
        }
      } finally {
        stop();
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
