import { randomInt } from 'node:crypto';
import type { AgentVendor, OutgoingMessage, PromptOutcome } from '../agents/port';
import {
  type AnswerDetail,
  AppError,
  type Session,
  SessionId,
  type StartSession,
  type VendorCommand,
} from '../contract';
import type { Log } from '../log';
import { newId } from '../platform';
import { cliMissing, type LaunchOrder, launchSession, openHooks } from './launch';
import { LiveSession } from './live';
import type { PaneFact, SessionDeps } from './ports';
import type { SessionReader } from './store';

/** How often the private tmux server is asked which panes live; nothing is asked while there is no session. */
const WATCH_MS = 1_500;

export interface Sessions {
  start(input: StartSession): Promise<Session>;
  resume(id: SessionId): Promise<Session>;
  rename(id: SessionId, name: string): Session;
  seen(id: SessionId): void;
  /** Takes an ended session off the board, or puts it back. Throws AppError `conflict` while it runs. */
  archive(id: SessionId, archived: boolean): Session;
  interrupt(id: SessionId): Promise<void>;
  end(id: SessionId): Promise<void>;
  /** Hands a person's decision to the agent. 'gone': no such request is waiting there now. */
  deliver(
    id: SessionId,
    vendorRef: string,
    decision: 'allow' | 'deny',
    message: string,
    detail?: AnswerDetail,
  ): Promise<'taken' | 'gone'>;
  /** Hands a message over to the agent that runs; see `AgentRun.prompt`. */
  prompt(id: SessionId, message: OutgoingMessage, typed: () => void): Promise<PromptOutcome>;
  /** Commands of its vendor that may be sent as messages. Throws `not-found`. */
  commands(id: SessionId): Promise<VendorCommand[]>;
  /** After a start of the host: takes up living panes again, marks the rest as ended. */
  reconcile(): Promise<void>;
  close(): Promise<void>;
}

export function createSessions(deps: SessionDeps & { log: Log; reader: SessionReader }): Sessions {
  const { log, reader, clock, journal, panes } = deps;
  const live = new Map<SessionId, LiveSession>();
  const vendorOf = (session: Session): AgentVendor | null =>
    session.kind === 'agent'
      ? (deps.vendors.find((vendor) => vendor.manifest.id === session.vendor) ?? null)
      : null;
  const must = (id: SessionId): Session => {
    const session = reader.get(id);
    if (!session) throw new AppError({ code: 'not-found', message: 'There is no such session.' });
    return session;
  };
  const tellPanes = () => {
    const map = new Map<string, string>();
    for (const session of reader.all()) if (session.pane) map.set(session.id, session.pane);
    deps.onPanes(map);
  };

  const newLive = (id: SessionId): LiveSession => {
    const made = new LiveSession(id, { log, clock, reader, onNeed: deps.onNeed, onLive: deps.onLive });
    live.set(id, made);
    return made;
  };

  const attach = (session: Session, pane: string, pendingPrompt: string, running: LiveSession): void => {
    const vendor = vendorOf(session);
    if (!vendor) {
      running.vote('process', 'idle', 'The shell runs in its pane.', null, null);
      return;
    }
    const where = deps.paths.session(session.id);
    running.setRun(
      vendor.attach({
        ...deps.vendorEnv,
        sessionId: session.id,
        dir: where.dir,
        cwd: session.cwd,
        vendorSession: session.vendorSession,
        mode: session.mode,
        permission: session.permission,
        pendingPrompt,
        pane: panes.access(pane, session.id),
        service: deps.services,
        emit: (event) => running.receive(event),
        now: () => clock.now(),
      }),
    );
  };

  const ended = async (
    session: Session,
    exitCode: number | null,
    reason: string,
    paneKept = false,
  ): Promise<void> => {
    const running = live.get(session.id);
    live.delete(session.id);
    await running?.stop();
    await deps.hooks.close(session.id);
    const current = reader.get(session.id);
    if (!current || current.state === 'exited') return;
    deps.onNeed(session.id, {
      type: 'settled',
      vendorRef: 'all',
      how: 'cancelled',
      note: 'The session ended.',
    });
    const vendor = vendorOf(session);
    const resumable = vendor ? vendor.manifest.capabilities.resumes && current.vendorSession !== null : true;
    log.commit([{ type: 'session.ended', sessionId: session.id, exitCode, reason, resumable, paneKept }]);
    tellPanes();
  };

  /** Performs a recorded launch; safe to repeat after a crash, since panes are found by the session's id. */
  const perform = async (order: LaunchOrder): Promise<void> => {
    const session = must(SessionId.parse(order.sessionId));
    if (session.state === 'exited') return;
    const running = live.get(session.id) ?? newLive(session.id);
    running.vote('host', 'starting', 'The CLI is being started.', null, null);
    await openHooks(deps, session, running, true);
    const launched = await launchSession(deps, session, vendorOf(session), order);
    deps.crash('launch.before-commit');
    log.commit([
      { type: 'session.pane-opened', sessionId: session.id, pane: launched.pane },
      {
        type: 'session.noted',
        sessionId: session.id,
        note: {
          vendorSession: launched.vendorSession ?? session.vendorSession,
          promptKept: session.promptKept && !launched.promptIncluded,
        },
      },
    ]);
    deps.crash('launch.after-commit');
    tellPanes();
    const now = must(session.id);
    attach(now, launched.pane, now.promptKept ? now.prompt : '', running);
  };

  const launchNow = async (session: Session, order: LaunchOrder): Promise<Session> => {
    const effect = log
      .effects('session.launch')
      .find((e) => (e.body as LaunchOrder).sessionId === session.id);
    try {
      await perform(order);
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      journal.warn(`session ${session.id} could not be started`, cause);
      await ended(session, null, `Could not be started: ${problem}`);
      throw cause;
    } finally {
      if (effect) log.effectDone(effect.id);
    }
    return must(session.id);
  };

  const exitReason = (code: number | null): string =>
    code === null || code === 0 ? 'The CLI ended.' : `The CLI ended with exit code ${code}.`;

  const compare = async (): Promise<void> => {
    const waiting = reader.all().filter((session) => session.pane !== null && session.state !== 'exited');
    if (waiting.length === 0) return;
    const facts = await panes.list();
    const bySid = new Map<string, PaneFact>((facts ?? []).map((fact) => [fact.sid, fact]));
    for (const session of waiting) {
      const fact = bySid.get(session.id);
      if (facts === null || !fact) {
        await ended(
          session,
          null,
          facts === null ? 'The terminal server stopped.' : 'Its terminal was closed.',
        );
      } else if (fact.dead) {
        await ended(session, fact.exitCode, exitReason(fact.exitCode), true);
      }
    }
  };
  let watching = true;
  let timer: NodeJS.Timeout | null = null;
  const watch = () => {
    timer = setTimeout(async () => {
      try {
        await compare();
      } catch (cause) {
        journal.warn('could not look at the panes', cause);
      }
      if (watching) watch();
    }, WATCH_MS);
  };

  return {
    async start(input) {
      const vendor = deps.vendors.find((v) => v.manifest.id === input.vendor) ?? null;
      if (!vendor && input.vendor !== 'terminal') {
        throw new AppError({ code: 'bad-input', message: `There is no agent called "${input.vendor}".` });
      }
      if (vendor) {
        const found = vendor.find(deps.vendorEnv);
        if (!found.path) throw cliMissing(vendor, found.problem);
        if (!vendor.manifest.modes.includes(input.mode)) {
          throw new AppError({
            code: 'bad-input',
            message: `${vendor.manifest.label} has no ${input.mode} mode.`,
          });
        }
        // It becomes an argument of the CLI: nothing but what its manifest names.
        if (!vendor.manifest.permissions.some((permission) => permission.id === input.permission)) {
          throw new AppError({
            code: 'bad-input',
            message: `${vendor.manifest.label} has no permission mode “${input.permission}”.`,
          });
        }
      }
      const worktree = await deps.prepare(input.projectId, input.workplace);
      const now = clock.now();
      const session: Session = {
        id: SessionId.parse(newId(90)),
        name: input.name?.trim() || nameFor(input, worktree.branch),
        kind: vendor ? 'agent' : 'terminal',
        vendor: input.vendor,
        projectId: worktree.projectId,
        worktreeId: worktree.id,
        cwd: worktree.path,
        mode: input.mode,
        permission: input.permission,
        prompt: vendor ? input.prompt : '',
        promptKept: vendor !== null && input.prompt !== '',
        state: 'starting',
        since: now,
        reason: null,
        resetsAt: null,
        evidence: [{ source: 'host', state: 'starting', at: now, detail: 'The CLI is being started.' }],
        contextPct: null,
        model: null,
        recap: null,
        activity: [],
        quota: null,
        vendorSession: null,
        pane: null,
        exitCode: null,
        resumable: false,
        created: now,
        ended: null,
        archived: false,
      };
      const order: LaunchOrder = {
        sessionId: session.id,
        cols: input.cols ?? 120,
        rows: input.rows ?? 32,
        resume: null,
      };
      log.commit([{ type: 'session.started', session }], {
        effects: [{ kind: 'session.launch', key: `launch-${session.id}`, body: order }],
      });
      deps.crash('session.started');
      return launchNow(session, order);
    },

    async resume(id) {
      const session = must(id);
      if (session.state !== 'exited')
        throw new AppError({ code: 'conflict', message: 'This session is running.' });
      if (!session.resumable) {
        throw new AppError({
          code: 'conflict',
          message: 'There is no conversation to go on with.',
          hint: 'Start a new session.',
        });
      }
      const order: LaunchOrder = { sessionId: id, cols: 120, rows: 32, resume: session.vendorSession };
      log.commit([{ type: 'session.resumed', sessionId: id }], {
        // The key holds a counter of its own: a session can be resumed many times.
        effects: [
          { kind: 'session.launch', key: `launch-${id}-${clock.now()}-${randomInt(1e6)}`, body: order },
        ],
        guard: () => {
          if (must(id).state !== 'exited')
            throw new AppError({ code: 'conflict', message: 'This session is running.' });
        },
      });
      // A dead pane of the earlier life would be taken for the new one.
      const old = (await panes.list())?.find((fact) => fact.sid === id);
      if (old) await panes.close(old.pane, id);
      return launchNow(must(id), order);
    },

    rename(id, name) {
      must(id);
      log.commit([{ type: 'session.renamed', sessionId: id, name }]);
      return must(id);
    },

    archive(id, archived) {
      const session = must(id);
      if (session.state !== 'exited') {
        throw new AppError({ code: 'conflict', message: 'It still runs.', hint: 'End it first.' });
      }
      if ((session.archived ?? false) !== archived)
        log.commit([{ type: 'session.archived', sessionId: id, archived }]);
      return must(id);
    },
    seen(id) {
      if (must(id).state === 'finished') log.commit([{ type: 'session.seen', sessionId: id }]);
    },

    async interrupt(id) {
      const session = must(id);
      const run = live.get(id)?.run;
      if (!run || session.state === 'exited')
        throw new AppError({ code: 'conflict', message: 'Nothing runs here.' });
      await run.interrupt();
    },

    async end(id) {
      const session = must(id);
      if (session.state === 'exited') return;
      if (session.pane) await panes.close(session.pane, id);
      await ended(session, null, 'Ended here.');
    },

    async prompt(id, message, typed) {
      const run = live.get(id)?.run;
      if (!run) return { outcome: 'not-now', why: 'The agent does not run.' };
      return run.prompt(message, typed);
    },
    async commands(id) {
      const session = must(id);
      return (await vendorOf(session)?.commands({ ...deps.vendorEnv, cwd: session.cwd })) ?? [];
    },
    async deliver(id, vendorRef, decision, message, detail) {
      const run = live.get(id)?.run;
      return run ? run.answer(vendorRef, decision, message, detail) : 'gone';
    },

    async reconcile() {
      const alive = reader.all().filter((session) => session.state !== 'exited');
      if (alive.length > 0) {
        const facts = await panes.list();
        const bySid = new Map<string, PaneFact>((facts ?? []).map((fact) => [fact.sid, fact]));
        const orders = new Map(
          log.effects('session.launch').map((effect) => [(effect.body as LaunchOrder).sessionId, effect]),
        );
        for (const session of alive) {
          const fact = bySid.get(session.id);
          const effect = orders.get(session.id);
          if (fact && !fact.dead) {
            if (effect) log.effectDone(effect.id);
            const running = newLive(session.id);
            await openHooks(deps, session, running, false);
            if (session.pane !== fact.pane) {
              log.commit([{ type: 'session.pane-opened', sessionId: session.id, pane: fact.pane }]);
            }
            attach(must(session.id), fact.pane, session.promptKept ? session.prompt : '', running);
          } else if (fact?.dead) {
            await ended(session, fact.exitCode, exitReason(fact.exitCode), true);
          } else if (effect && session.pane === null) {
            // Recorded but never opened: the host died in between. Nothing ran yet, so starting it now runs it once.
            await launchNow(session, effect.body as LaunchOrder).catch(() => {});
          } else {
            await ended(
              session,
              null,
              facts === null ? 'The terminal server stopped.' : 'Its terminal was closed.',
            );
          }
        }
      }
      tellPanes();
      watch();
    },

    async close() {
      watching = false;
      if (timer) clearTimeout(timer);
      // The sockets go before the observers: a waiting hook then sees a host that went away and comes back to the
      // next one, instead of "no decision", which would end its wait for good.
      for (const running of live.values()) running.mute();
      await deps.hooks.closeAll();
      await Promise.all([...live.values()].map((running) => running.stop()));
      live.clear();
    },
  };
}

function nameFor(input: StartSession, branch: string | null): string {
  const words =
    input.prompt
      .split('\n')
      .map((line) => line.trim())
      .find(Boolean) ?? '';
  if (words) return words.length > 42 ? `${words.slice(0, 40).trimEnd()}…` : words;
  return branch ?? (input.vendor === 'terminal' ? 'Terminal' : 'New session');
}
