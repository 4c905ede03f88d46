import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../contract';
import { readIfThere, writePrivate } from '../../platform';
import type { AgentRun, RunContext, VendorEvent } from '../port';
import { AppServer, type Incoming, type RequestId, RpcError } from './app-server';
import { CONFIG_FILE, type Held } from './launch';
import { ensureServer, placeOf } from './place';
import {
  AccountReply,
  OfItem,
  OfThread,
  OfTurn,
  Resolved,
  ResumeReply,
  TurnStartReply,
  TurnsReply,
} from './protocol';
import { describeRequest } from './requests';
import { Translator } from './translate';

const BACKOFF_MS = [50, 100, 200, 400, 800, 1_600, 3_000, 5_000];
/** From this many failures in a row on it is an error and no longer a hiccup. */
const PATIENCE = 5;
/** The server repeats what waits right after a subscription; what is not repeated by then has been answered. */
const REPEAT_MS = 3_000;
const TURN_FILE = 'codex-turn';

interface LiveRequest {
  id: RequestId;
  reply: ((decision: 'allow' | 'deny') => unknown) | null;
  answered: boolean;
}

/**
 * Follows one thread of an app-server and carries a person's answers to it. When the server goes away, it is started
 * again and the thread taken up where it is; nothing that was answered on an old connection is sent on a new one.
 */
export class CodexRun implements AgentRun {
  readonly #stop = new AbortController();
  readonly #translator: Translator;
  readonly #clientId: string;
  #server: AppServer | null = null;
  #live = new Map<string, LiveRequest>();
  /** Requests of an earlier connection that this one has not repeated yet. */
  #unseen = new Set<string>();
  #prompt: string;
  #promptTurn: string | null = null;
  #signedOut = false;
  #repeat: NodeJS.Timeout | null = null;

  constructor(
    private readonly context: RunContext,
    private readonly held: Held,
  ) {
    this.#prompt = context.pendingPrompt;
    this.#clientId = `offdeck-${context.sessionId}`;
    this.#translator = new Translator({ cwd: context.cwd, now: context.now });
    const threadId = context.vendorSession;
    if (threadId === null) this.#say('unknown', 'The conversation of this session is not known.');
    else void this.#follow(threadId);
  }

  async #follow(threadId: string): Promise<void> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      try {
        const server = await AppServer.open(placeOf(this.context).socket);
        if (this.#stop.signal.aborted) return server.close();
        this.#server = server;
        await this.#subscribe(server, threadId);
        failures = 0;
        await server.closed;
        this.#say('unknown', 'The connection to the app-server was lost; connecting again.');
      } catch (cause) {
        failures += 1;
        this.#server?.close();
        const why = cause instanceof Error ? cause.message : String(cause);
        if (failures >= PATIENCE) {
          this.#say(
            'error',
            `${failures} attempts failed.`,
            `The app-server of Codex does not answer: ${why}`,
          );
        } else this.#say('unknown', `The app-server does not answer yet: ${why}`);
        // It may have ended. Starting it is idempotent; whether that helped shows at the next attempt.
        if (!(cause instanceof RpcError)) await ensureServer(this.context).catch(() => {});
      } finally {
        this.#server = null;
        if (this.#repeat) clearTimeout(this.#repeat);
      }
      const wait = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)];
      await pause(wait, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }

  async #subscribe(server: AppServer, threadId: string): Promise<void> {
    const { thread, model, initialTurnsPage } = ResumeReply.parse(
      await server.call('thread/resume', {
        threadId,
        excludeTurns: true,
        // The items of the running turn hold the patches that its requests are about.
        initialTurnsPage: { limit: 1, itemsView: 'full' },
        config: this.#config(),
      }),
    );
    this.held.release(threadId);
    const last = initialTurnsPage?.data[0] ?? null;
    this.#emit({ type: 'noted', model, vendorSession: threadId });
    for (const event of this.#translator.seed(thread.status, last, this.#reported())) this.#emit(event);
    if (last && thread.status.type !== 'active') this.#report(last.id);

    for (const vendorRef of this.#live.keys()) this.#unseen.add(vendorRef);
    this.#live.clear();
    const note = 'Codex no longer waits for it: it was answered in the terminal, or its turn ended.';
    if (!thread.status.activeFlags?.length) {
      this.#unseen.clear();
      this.#emit({ type: 'settled', vendorRef: 'all', how: 'answered-elsewhere', note });
    } else {
      this.#repeat = setTimeout(() => {
        for (const vendorRef of this.#unseen) {
          this.#emit({ type: 'settled', vendorRef, how: 'answered-elsewhere', note });
        }
        this.#unseen.clear();
      }, REPEAT_MS);
      this.#repeat.unref();
    }
    server.listen((message) => this.#receive(message, threadId));
    await this.#askAccount(server);
    if (!this.#signedOut) await this.#deliver(server, threadId, last !== null);
  }

  #config(): unknown {
    try {
      return JSON.parse(readIfThere(`${this.context.dir}/${CONFIG_FILE}`) ?? '{}').config ?? {};
    } catch {
      return {}; // Unreadable: the thread runs without knowing its session, which beats not running.
    }
  }

  /** Sends the first prompt, unless an earlier host did and only could not note it. */
  async #deliver(server: AppServer, threadId: string, hasTurns: boolean): Promise<void> {
    if (this.#prompt === '') return;
    if (hasTurns) {
      const first = TurnsReply.parse(
        await server.call('thread/turns/list', {
          threadId,
          limit: 5,
          sortDirection: 'asc',
          itemsView: 'full',
        }),
      );
      const items = first.data.flatMap((turn) => turn.items);
      if (items.some((item) => item.type === 'userMessage' && item.clientId === this.#clientId)) {
        return this.#accepted();
      }
    }
    try {
      const { turn } = TurnStartReply.parse(
        await server.call('turn/start', {
          threadId,
          clientUserMessageId: this.#clientId,
          input: [{ type: 'text', text: this.#prompt, text_elements: [] }],
        }),
      );
      this.#promptTurn = turn.id;
      if (this.#translator.turn === turn.id) this.#accepted();
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      this.#say('error', 'turn/start was refused.', `Codex did not take the prompt: ${cause.message}`);
    }
  }

  #accepted(): void {
    if (this.#prompt === '') return;
    this.#prompt = '';
    this.#emit({ type: 'prompt-accepted' });
  }

  async #askAccount(server: AppServer): Promise<void> {
    const asked = await server.call('account/read', {}).catch((cause: unknown) => {
      if (cause instanceof RpcError) return null; // A version without this call: then a turn will tell.
      throw cause;
    });
    const account = AccountReply.safeParse(asked).data;
    this.#signedOut = account?.requiresOpenaiAuth === true && account.account === null;
    if (this.#signedOut) {
      this.#say('signed-out', 'The app-server has no account.', 'Sign in with: codex login');
    }
  }

  #receive(message: Incoming, threadId: string): void {
    const about = OfThread.safeParse(message.params).data?.threadId;
    if (about !== undefined && about !== threadId) return;
    const { method, params } = message;
    if (message.type === 'request') {
      if (about === undefined) return;
      const described = describeRequest(method, params, {
        cwd: this.context.cwd,
        changesOf: (item) => this.#translator.changesOf(item),
      });
      if (!described) return;
      this.#unseen.delete(described.asked.vendorRef);
      this.#live.set(described.asked.vendorRef, { id: message.id, reply: described.reply, answered: false });
      this.#emit(described.asked);
      return;
    }
    if (method === 'serverRequest/resolved') this.#resolved(params);
    if (method === 'account/updated') void this.#signedIn(threadId);
    for (const event of this.#translator.notification(method, params)) this.#emit(event);
    if (method === 'turn/started' && OfTurn.safeParse(params).data?.turn.id === this.#promptTurn)
      this.#accepted();
    if (method === 'item/started') {
      const item = OfItem.safeParse(params).data?.item;
      if (item?.type === 'userMessage' && item.clientId === this.#clientId) this.#accepted();
    }
    if (method === 'turn/completed') this.#turnEnded(params);
    if (method === 'thread/closed') this.#say('unknown', 'The app-server unloaded the conversation.');
  }

  #resolved(params: unknown): void {
    const id = Resolved.safeParse(params).data?.requestId;
    for (const [vendorRef, request] of this.#live) {
      if (request.id !== id) continue;
      this.#live.delete(vendorRef);
      this.#emit(
        request.answered
          ? { type: 'settled', vendorRef, how: 'confirmed', note: 'Codex took the answer.' }
          : { type: 'settled', vendorRef, how: 'answered-elsewhere', note: 'Answered in the terminal.' },
      );
    }
  }

  #turnEnded(params: unknown): void {
    const turn = OfTurn.safeParse(params).data?.turn;
    if (turn) this.#report(turn.id);
    for (const vendorRef of this.#live.keys()) {
      this.#emit({ type: 'settled', vendorRef, how: 'cancelled', note: 'Its turn ended.' });
    }
    this.#live.clear();
  }

  async #signedIn(threadId: string): Promise<void> {
    const server = this.#server;
    if (!server || !this.#signedOut) return;
    try {
      await this.#askAccount(server);
      if (this.#signedOut) return;
      this.#say('idle', 'The app-server has an account now.');
      await this.#deliver(server, threadId, true);
    } catch {
      server.close(); // Whatever it was, a new subscription starts from what is true then.
    }
  }

  /** The turn whose end has been told, so that the next host does not call it news. */
  #reported(): string | null {
    return readIfThere(`${this.context.dir}/${TURN_FILE}`);
  }

  #report(turn: string): void {
    try {
      writePrivate(`${this.context.dir}/${TURN_FILE}`, turn);
    } catch {
      // The session's folder went with the session; at worst the end is told twice.
    }
  }

  #say(
    state: 'idle' | 'unknown' | 'error' | 'signed-out',
    detail: string,
    reason: string | null = null,
  ): void {
    this.#emit({ type: 'state', source: 'api', state, detail, reason, resetsAt: null });
  }

  #emit(event: VendorEvent): void {
    if (!this.#stop.signal.aborted) this.context.emit(event);
  }

  async hook(): Promise<unknown> {
    return null; // Codex is started without hooks: its server tells us everything.
  }

  async answer(vendorRef: string, decision: 'allow' | 'deny'): Promise<'taken' | 'gone'> {
    const request = this.#live.get(vendorRef);
    const server = this.#server;
    if (!server || !request?.reply || request.answered) return 'gone';
    request.answered = true;
    if (await server.reply(request.id, request.reply(decision))) return 'taken';
    request.answered = false;
    return 'gone';
  }

  async interrupt(): Promise<void> {
    const [server, turnId] = [this.#server, this.#translator.turn];
    if (!server) throw new AppError({ code: 'unavailable', message: 'Codex cannot be reached right now.' });
    if (!turnId) throw new AppError({ code: 'conflict', message: 'Nothing runs here.' });
    try {
      await server.call('turn/interrupt', { threadId: this.context.vendorSession, turnId });
    } catch (cause) {
      // It ended by itself in between: just what was wanted.
      if (!(cause instanceof RpcError)) throw cause;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#repeat) clearTimeout(this.#repeat);
    this.#server?.close();
  }
}
