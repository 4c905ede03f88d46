import { setTimeout as pause } from 'node:timers/promises';
import { ZodError } from 'zod';
import { type AnswerDetail, AppError, commandOf, type LiveText } from '../../contract';
import { readIfThere, writePrivate } from '../../platform';
import type { AgentRun, OutgoingMessage, PromptOutcome, RunContext, VendorEvent } from '../port';
import { AppServer, type Incoming, RpcError } from './app-server';
import { CONFIG_FILE, type Held } from './launch';
import { OpenRequests } from './open-requests';
import { ensureServer, placeOf } from './place';
import {
  AccountReply,
  Delta,
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
/** Without an answer for this long it is an error and no longer a hiccup. */
const PATIENCE_MS = 10_000;
/** The server repeats what waits right after a subscription; what is not repeated by then has been answered. */
const REPEAT_MS = 3_000;
/** A sign-in in another terminal is not announced, only told when asked. */
const ACCOUNT_MS = 2_000;
const TURN_FILE = 'codex-turn';

/**
 * Follows one thread of an app-server and carries a person's answers to it. When the server goes away, it is started
 * again and the thread taken up where it is; nothing that was answered on an old connection is sent on a new one.
 */
export class CodexRun implements AgentRun {
  readonly #stop = new AbortController();
  readonly #translator: Translator;
  readonly #clientId: string;
  #server: AppServer | null = null;
  readonly #requests = new OpenRequests();
  #prompt: string;
  #promptTurn: string | null = null;
  #speech: LiveText | null = null;
  #signedOut = false;
  #asking = false;
  #repeat: NodeJS.Timeout | null = null;
  #account: NodeJS.Timeout | null = null;

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
    let since = 0;
    while (!this.#stop.signal.aborted) {
      try {
        const server = await AppServer.open(placeOf(this.context).socket);
        this.#server = server;
        if (this.#stop.signal.aborted) break;
        await this.#subscribe(server, threadId);
        failures = 0;
        await server.closed;
        this.#say('unknown', 'The connection to the app-server was lost; connecting again.');
      } catch (cause) {
        if (failures++ === 0) since = this.context.now();
        this.#fault(cause, this.context.now() - since >= PATIENCE_MS);
        // It may have ended. Starting it is idempotent; whether that helped shows at the next attempt.
        if (!(cause instanceof RpcError) && !this.#stop.signal.aborted) {
          await ensureServer(this.context).catch(() => {});
        }
      } finally {
        this.#server?.close();
        this.#server = null;
        this.#requests.disconnected();
        this.#clearTimers();
      }
      const wait = BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)];
      await pause(wait, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }

  #fault(cause: unknown, forLong: boolean): void {
    if (cause instanceof RpcError) {
      this.#say('error', 'A call was refused.', `Codex does not load the conversation: ${cause.message}`);
    } else if (cause instanceof ZodError) {
      const reason = 'This version of Codex answers in a way that is not understood here.';
      this.#say('error', `Not understood: ${cause.issues[0]?.path.join('.')}`, reason);
    } else {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (forLong) this.#say('error', why, 'The app-server of Codex does not answer.');
      else this.#say('unknown', `The app-server does not answer yet: ${why}`);
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

    if (!thread.status.activeFlags?.length) this.#emit(this.#requests.none());
    else {
      this.#repeat = setTimeout(() => {
        for (const event of this.#requests.notRepeated()) this.#emit(event);
      }, REPEAT_MS);
      this.#repeat.unref();
    }
    server.listen((message) => this.#receive(message, threadId));
    await this.#askAccount(server);
    if (!this.#signedOut) return this.#deliver(server, threadId, last !== null);
    this.#say('signed-out', 'The app-server has no account.', 'Sign in with: codex login');
    this.#account = setInterval(() => void this.#signedIn(threadId), ACCOUNT_MS).unref();
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

  /** Sets whether the server has the account that it needs. */
  async #askAccount(server: AppServer): Promise<void> {
    const asked = await server.call('account/read', {}).catch((cause: unknown) => {
      if (cause instanceof RpcError) return null; // A version without this call: then a turn will tell.
      throw cause;
    });
    const account = AccountReply.safeParse(asked).data;
    this.#signedOut = account?.requiresOpenaiAuth === true && account.account === null;
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
      this.#requests.add(message.id, described);
      this.#emit(described.asked);
      return;
    }
    if (method === 'serverRequest/resolved') {
      const id = Resolved.safeParse(params).data?.requestId;
      for (const event of id === undefined ? [] : this.#requests.resolved(id)) this.#emit(event);
    }
    if (method === 'account/updated') void this.#signedIn(threadId);
    this.#hear(method, params);
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

  /** What it says right now, as it comes. */
  #hear(method: string, params: unknown): void {
    if (method === 'turn/completed') {
      this.#speech = null;
      this.#emit({ type: 'live', live: null });
    }
    if (method !== 'item/agentMessage/delta') return;
    const delta = Delta.safeParse(params).data;
    if (!delta) return;
    const before = this.#speech?.ref === delta.itemId ? this.#speech.text : '';
    this.#speech = { ref: delta.itemId, text: before + delta.delta };
    this.#emit({ type: 'live', live: this.#speech });
  }

  #turnEnded(params: unknown): void {
    const turn = OfTurn.safeParse(params).data?.turn;
    if (turn) this.#report(turn.id);
    for (const event of this.#requests.turnEnded()) this.#emit(event);
  }

  /** Looks whether somebody has signed in, and if so delivers the prompt that waited for it. */
  async #signedIn(threadId: string): Promise<void> {
    const server = this.#server;
    if (!server || !this.#signedOut || this.#asking) return;
    this.#asking = true; // two looks at once would both find the account and both send the prompt
    try {
      await this.#askAccount(server);
      if (this.#signedOut) return;
      this.#clearTimers();
      this.#say('idle', 'The app-server has an account now.');
      await this.#deliver(server, threadId, true);
    } catch {
      server.close(); // Whatever it was, a new subscription starts from what is true then.
    } finally {
      this.#asking = false;
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

  async answer(
    vendorRef: string,
    decision: 'allow' | 'deny',
    _message: string,
    detail: AnswerDetail = {},
  ): Promise<'taken' | 'gone'> {
    const server = this.#server;
    if (!server) return 'gone';
    return this.#requests.answer(vendorRef, decision, detail, (id, result) => server.reply(id, result));
  }

  async prompt(
    { id, text, command, images = [] }: OutgoingMessage,
    typed: () => void,
  ): Promise<PromptOutcome> {
    const server = this.#server;
    if (!server) return { outcome: 'not-now', why: 'The app-server of Codex cannot be reached right now.' };
    if (this.#translator.turn !== null) return { outcome: 'not-now', why: 'It is working.' };
    try {
      if (command) {
        if (commandOf(text) !== 'compact') return { outcome: 'unsure', why: 'Codex has no such command.' };
        await server.call('thread/compact/start', { threadId: this.context.vendorSession });
      } else {
        TurnStartReply.parse(
          await server.call('turn/start', {
            threadId: this.context.vendorSession,
            clientUserMessageId: id,
            input: [
              ...images.map((path) => ({ type: 'localImage', path })),
              ...(text === '' ? [] : [{ type: 'text', text, text_elements: [] }]),
            ],
          }),
        );
      }
      typed();
      // The reply is the server's word that the turn exists, with our words as its input.
      return { outcome: 'accepted' };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (cause instanceof RpcError) return { outcome: 'not-now', why: `Codex did not take it: ${why}` };
      typed();
      return { outcome: 'unsure', why: `The connection to the app-server was lost: ${why}` };
    }
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
    this.#clearTimers();
    this.#server?.close();
  }

  #clearTimers(): void {
    if (this.#repeat) clearTimeout(this.#repeat);
    if (this.#account) clearInterval(this.#account);
  }
}
