import { ControlParser } from './control-parser';
import { type IPty, spawnPty } from './pty';

export interface ControlEvents {
  output(pane: string, bytes: Buffer): void;
  /** All output told so far comes before what follows: act on it now. */
  order(): void;
  /** A new connection: every sequence number of before is void. */
  connected(): void;
  lost(): void;
}
export interface ControlCommand {
  line: string;
  /** Runs when the answer begins in the stream: what was told before happened before. */
  begin?(): void;
  /** Runs with the answer, before anything that follows in the stream. */
  reply?(lines: Buffer[]): void;
}
interface Waiting {
  /** Commands of one line: an error ends all that follow. */
  line: object;
  begin?: (() => void) | undefined;
  reply?: ((lines: Buffer[]) => void) | undefined;
  done(lines: Buffer[]): void;
  fail(error: Error): void;
}

/** There is no connection, or it ended before the answer; `connected` is told when there is one again. */
export class NotConnected extends Error {
  constructor() {
    super('the terminal server is not connected');
  }
}

const RETRY_MS = [50, 100, 200, 500, 1_000, 2_000];

/**
 * The one control client for all panes. On a pty and never on pipes: a client on pipes whose host was killed stays
 * attached, tmux stops reading the panes for it, and every agent freezes (measured: 0 lines a second).
 */
export class ControlClient {
  #pty: IPty | null = null;
  /** tmux throws away what it was told before it has taken the client in, or a part of it: later replies would shift. */
  #ready = false;
  #queue: Waiting[] = [];
  #closed = false;
  #attempt = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly options: { tmux: string; socket: string; env: Record<string, string> },
    private readonly events: ControlEvents,
  ) {}

  start(): void {
    if (this.#closed) return;
    const { tmux, socket, env } = this.options;
    let pty: IPty;
    try {
      // `detach-client -a` would end the person's own attached terminals too; a stale client of ours died with its pty.
      pty = spawnPty(tmux, ['-S', socket, '-CC', 'attach-session', '-t', '=hub', '-f', 'ignore-size'], {
        name: 'xterm-256color',
        cols: 120,
        rows: 32,
        encoding: null,
        env: { ...env, TERM: 'xterm-256color' },
      });
    } catch {
      this.#again();
      return;
    }
    this.#pty = pty;
    let first = true;
    const parser = new ControlParser({
      output: (pane, bytes) => this.events.output(pane, bytes),
      begin: () => {
        this.events.order();
        if (!first) this.#queue[0]?.begin?.();
      },
      reply: (ok, lines) => {
        // The first reply is to the attach itself.
        if (first) {
          first = false;
          if (!ok) return;
          this.#attempt = 0;
          this.#ready = true;
          this.events.connected();
          return;
        }
        const waiting = this.#queue.shift();
        if (ok) {
          waiting?.reply?.(lines);
          waiting?.done(lines);
          return;
        }
        const error = new Error(lines.map(String).join(' '));
        waiting?.fail(error);
        // tmux carries out none of the rest and says nothing about it.
        while (waiting && this.#queue[0]?.line === waiting.line) this.#queue.shift()?.fail(error);
      },
      exit: () => pty.kill(),
    });
    pty.onData((data) => parser.push(data as unknown as Buffer)); // Buffers, since encoding is null
    pty.onExit(() => {
      if (this.#pty !== pty) return;
      this.#pty = null;
      this.#ready = false;
      const queue = this.#queue;
      this.#queue = [];
      for (const waiting of queue) waiting.fail(new NotConnected());
      if (!first) this.events.lost();
      this.#again();
    });
  }

  #again(): void {
    if (this.#closed) return;
    const delay = RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)] ?? 2_000;
    this.#timer = setTimeout(() => this.start(), delay);
  }

  /** One command with one reply. */
  async command(line: string): Promise<Buffer[]> {
    const [reply] = await this.together([{ line }]);
    return reply ?? [];
  }

  /**
   * Several commands that tmux carries out with nothing in between. In one line, since lines can arrive apart, and what
   * a program printed in between stood in one answer and not in the other (seen: a cursor behind text that came again).
   */
  together(commands: ControlCommand[]): Promise<Buffer[][]> {
    const pty = this.#pty;
    if (!pty || !this.#ready) return Promise.reject(new NotConnected());
    const line = {};
    const replies = commands.map(
      ({ begin, reply }) =>
        new Promise<Buffer[]>((done, fail) => {
          this.#queue.push({ line, begin, reply, done, fail });
        }),
    );
    pty.write(`${commands.map((each) => each.line).join(' ; ')}\n`);
    return Promise.all(replies);
  }

  /**
   * Resolves when the pty has ended. Its native thread waits for that end, and a thread that outlives the worker's
   * environment aborts the whole host (measured: 16 of 60 stops).
   */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    const pty = this.#pty;
    if (!pty) return Promise.resolve();
    return new Promise((resolve) => {
      pty.onExit(() => resolve());
      pty.kill();
    });
  }
}
