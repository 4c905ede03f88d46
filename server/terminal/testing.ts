import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { showFrame } from '../../app/_features/session/show-frame';
import {
  type ClientFrame,
  decodeServer,
  encodeClient,
  type ServerFrame,
  type TerminalInfo,
} from '../contract';
import { type Bed, makeBed, TMUX, typed, until } from '../tmux/testing';
import { Hub } from './hub';

const load = createRequire(import.meta.url);
const { Terminal } = load('@xterm/headless') as typeof import('@xterm/headless');
const { SerializeAddon } = load('@xterm/addon-serialize') as typeof import('@xterm/addon-serialize');

export const newTerminal = (cols = 80, rows = 24) =>
  new Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true, logLevel: 'off' });

/** For tests only: a hub on a private tmux server, with viewers that draw as the browser does. */
export interface TerminalBed extends Bed {
  hub: Hub;
  /** A session that runs `argv` and that the hub knows. */
  run(id: string, argv: string[]): Promise<string>;
  /** A session that prints what it is told and keeps what it is typed. */
  stage(id: string): Promise<Stage>;
  /** A viewer of its own tab that shows this session. */
  view(id: string, options?: ViewerOptions): Promise<TestViewer>;
  /** Ends the hub and begins a new one, as after a restart of the host. */
  restart(): Promise<void>;
  end(): Promise<void>;
}
export interface Stage {
  pane: string;
  print(bytes: string | Uint8Array): void;
  /** What the program was typed. */
  typed(): string;
}
export interface ViewerOptions {
  tab?: string;
  /** False: does not say what it has taken until `ack` is called, as a phone that stands still. */
  acks?: boolean;
  /** False: takes the bytes and draws nothing. */
  draws?: boolean;
  cols?: number;
  rows?: number;
  /** Where it says that it was. */
  at?: { epoch: number; seq: number };
}

export async function makeTerminalBed(): Promise<TerminalBed> {
  const bed = makeBed();
  const hubOf = () => new Hub({ tmux: TMUX, socket: bed.paths.tmuxSocket, env: bed.env });
  const panes = new Map<string, string>();
  const pipes: number[] = [];
  let tabs = 0;
  await bed.tmux.ensureServer();
  const made: TerminalBed = {
    ...bed,
    hub: hubOf(),
    async run(id, argv) {
      const pane = await bed.start(id, { argv });
      panes.set(id, pane);
      made.hub.setPanes(new Map(panes));
      return pane;
    },
    async stage(id) {
      const pipe = join(bed.dir, `${id}.pipe`);
      const file = join(bed.dir, `${id}.typed`);
      rmSync(pipe, { force: true });
      execFileSync('/usr/bin/mkfifo', [pipe]);
      const fd = openSync(pipe, 'r+');
      pipes.push(fd);
      // Each piece comes by a file: a large one would fill the pipe, and who waits for that cannot read for tmux.
      const script = 'stty raw -echo; cat <&3 > "$1" & while read -r piece; do cat "$piece"; done < "$0"';
      rmSync(file, { force: true });
      const pane = await made.run(id, ['/bin/sh', '-c', `exec 3<&0; ${script}`, pipe, file]);
      // It listens once its file is there; before that the terminal would still change what is typed.
      await until(() => existsSync(file));
      let pieces = 0;
      return {
        pane,
        print(bytes) {
          const piece = join(bed.dir, `${id}.${++pieces}`);
          writeFileSync(piece, bytes);
          writeSync(fd, `${piece}\n`);
        },
        typed: () => typed(file),
      };
    },
    async view(id, options = {}) {
      const viewer = new TestViewer(made, id, { tab: `tab${++tabs}`, ...options });
      await viewer.until('a first screen', () => viewer.drawn !== '');
      return viewer;
    },
    async restart() {
      await made.hub.stop();
      made.hub = hubOf();
      made.hub.setPanes(new Map(panes));
      made.hub.start();
    },
    async end() {
      await made.hub.stop();
      for (const fd of pipes) closeSync(fd);
      bed.end();
    },
  };
  made.hub.start();
  return made;
}

const KEPT = 256 * 1024;
let ids = 0;
let marks = 0;

/** One tab of a browser: the wire and the terminal of the client, without a screen. */
export class TestViewer {
  readonly term;
  readonly #serializer = new SerializeAddon();
  info: TerminalInfo = {};
  readonly infos: TerminalInfo[] = [];
  readonly seen: Record<ServerFrame['type'], number> = { out: 0, snap: 0, frame: 0, info: 0, hist: 0 };
  bytes = 0;
  /** The newest of what was drawn, one character a byte. */
  drawn = '';
  epoch = 0;
  seq: number | null = null;
  /** Taken and not said yet; the most that it ever was. */
  owed = 0;
  mostOwed = 0;
  /** The largest snapshot. */
  biggest = 0;
  #id = 0;
  #typed = 0;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly bed: TerminalBed,
    readonly session: string,
    private readonly options: ViewerOptions & { tab: string },
  ) {
    this.term = newTerminal(options.cols, options.rows);
    this.term.loadAddon(this.#serializer);
    this.term.onData((data) => this.type(data));
    if (options.at) {
      this.epoch = options.at.epoch;
      this.seq = options.at.seq;
    }
    this.connect();
  }

  /** Dials, and goes on where it was. */
  connect(): void {
    this.#id = ++ids;
    this.bed.hub.open(this.#id, this.options.tab, true, (data) => this.#receive(data));
    this.send({
      type: 'sub',
      channel: 1,
      sessionId: Buffer.from(this.session),
      epoch: this.epoch,
      from: this.seq,
    });
  }
  close(): void {
    this.bed.hub.close(this.#id);
    this.#id = 0;
  }
  send(frame: ClientFrame): void {
    this.bed.hub.receive(this.#id, encodeClient(frame));
  }
  type(keys: string): void {
    this.send({ type: 'input', channel: 1, inputSeq: ++this.#typed, bytes: Buffer.from(keys) });
  }
  paste(text: string, piece = 128 * 1024): void {
    const bytes = Buffer.from(text);
    for (let i = 0; i < bytes.length; i += piece) {
      this.send({
        type: 'paste',
        channel: 1,
        inputSeq: ++this.#typed,
        last: i + piece >= bytes.length,
        bytes: bytes.subarray(i, i + piece),
      });
    }
  }
  claim(cols: number, rows: number): void {
    this.send({ type: 'size', channel: 1, cols, rows, claim: true });
  }
  /** Says that it has taken all there is. */
  ack(): void {
    const bytes = this.owed;
    this.owed = 0;
    this.send({ type: 'ack', channel: 1, bytes });
  }

  #receive(data: Uint8Array): void {
    if (this.#id === 0) return;
    const frame = decodeServer(data);
    if (!frame) throw new Error('a frame that cannot be read');
    this.seen[frame.type]++;
    if (frame.type === 'info') {
      const news = JSON.parse(Buffer.from(frame.json).toString('utf8')) as TerminalInfo;
      this.infos.push(news);
      this.info = { ...this.info, ...news };
      this.#look();
      return;
    }
    const size = frame.bytes.length;
    this.bytes += size;
    this.owed += size;
    this.mostOwed = Math.max(this.mostOwed, this.owed);
    if (frame.type === 'snap') this.biggest = Math.max(this.biggest, size);
    if (frame.type === 'snap' || frame.type === 'out') {
      this.epoch = frame.epoch;
      this.seq = frame.type === 'snap' ? frame.seq : frame.seq + size;
    }
    const done = () => {
      this.drawn = (this.drawn + Buffer.from(frame.bytes).toString('latin1')).slice(-KEPT);
      if (this.options.acks !== false && this.#id !== 0) {
        this.owed -= size;
        this.send({ type: 'ack', channel: 1, bytes: size });
      }
      this.#look();
    };
    if (this.options.draws === false) done();
    else showFrame(this.term, frame, { done });
  }

  #look(): void {
    for (const look of this.#waiting.splice(0)) look();
  }
  /** Resolves when the test holds; it is asked again with everything that comes. */
  until(what: string, test: () => boolean, ms = 25_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${what}: not within ${ms} ms; on the screen:\n${this.screen().join('\n')}`)),
        ms,
      );
      const look = () => {
        if (!test()) {
          this.#waiting.push(look);
          return;
        }
        clearTimeout(timer);
        resolve();
      };
      look();
    });
  }
  shows(text: string): Promise<void> {
    return this.until(`"${text}" on the screen`, () => this.screen().join('\n').includes(text));
  }

  /** Prints through the stage and waits until it is drawn here; not for a flood, of which only pictures are drawn. */
  async drew(stage: Stage, bytes: string | Uint8Array): Promise<void> {
    const mark = `\x1b[?${7_000 + ++marks}l`;
    stage.print(bytes);
    stage.print(mark);
    await this.until('what was printed', () => this.drawn.includes(mark));
  }

  /** The visible rows, without blanks at the end. */
  screen(): string[] {
    const { active } = this.term.buffer;
    return Array.from({ length: this.term.rows }, (_, y) => this.#row(active.baseY + y));
  }
  /** All rows, with those that were scrolled away. */
  history(): string[] {
    return Array.from({ length: this.term.buffer.active.length }, (_, y) => this.#row(y));
  }
  #row(y: number): string {
    return this.term.buffer.active.getLine(y)?.translateToString(true) ?? '';
  }
  /** Everything about the terminal that can be seen: characters, colours, cursor, modes. */
  state(): string {
    return this.#serializer.serialize();
  }
}

/** Waits until the viewer shows exactly what tmux holds. */
export async function same(bed: TerminalBed, pane: string, viewer: TestViewer): Promise<void> {
  const text = (rows: string[]) =>
    rows
      .map((row) => row.trimEnd())
      .join('\n')
      .trimEnd();
  const held = () => text(bed.raw('capture-pane', '-p', '-t', pane).split('\n'));
  await until(() => text(viewer.screen()) === held()).catch((error: Error) => {
    throw new Error(`${error.message}\nviewer:\n${text(viewer.screen())}\ntmux:\n${held()}`);
  });
}
