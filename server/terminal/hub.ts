import { randomInt } from 'node:crypto';
import { type ClientFrame, decodeClient } from '../contract';
import { newId, run } from '../platform';
import { cleanInput } from './clean-input';
import { ControlClient } from './control-client';
import { Pane } from './pane';
import { Channel } from './viewer';

export interface HubOptions {
  tmux: string;
  socket: string;
  env: Record<string, string>;
}
interface Viewer {
  clientId: string;
  canType: boolean;
  send(bytes: Uint8Array): void;
  channels: Map<number, Channel>;
  wanted: Map<number, { sessionId: string; epoch: number; from: number | null }>;
  pastes: Map<number, Buffer[]>;
}
interface Size {
  owner: string | null; // a client id
  cols: number;
  rows: number;
}

const KEYS_AT_ONCE = 256;
const TYPED_AS_PASTE = 1_024;
const MAX_PASTE = 8 * 1024 * 1024;

/** All panes, all viewers: who watches what, who types where, and who decides a size. Runs in the worker. */
export class Hub {
  // Begins anywhere: a viewer of an earlier host must not take our positions for its own.
  #epoch = randomInt(2 ** 31);
  #panes = new Map<string, Pane>();
  #paneOf = new Map<string, string>();
  #viewers = new Map<number, Viewer>();
  #sizes = new Map<string, Size>();
  #lastInput = new Map<string, number>();
  #client: ControlClient;
  #typing = new Map<string, Promise<void>>();
  #chunks = new Map<string, Buffer[]>();
  #flushing: NodeJS.Immediate | null = null;

  constructor(private readonly options: HubOptions) {
    this.#client = new ControlClient(options, {
      output: (id, bytes) => {
        const waiting = this.#chunks.get(id);
        if (waiting) waiting.push(bytes);
        else this.#chunks.set(id, [bytes]);
        // No timer: what is there now goes together, and nothing waits for more (a fixed window costs every key).
        this.#flushing ??= setImmediate(() => this.#flush());
      },
      order: () => this.#flush(),
      connected: () => {
        // A new connection counts from zero: old positions mean nothing, so every viewer gets a snapshot.
        this.#epoch = (this.#epoch + 1) >>> 0;
        this.#panes.clear();
        for (const session of this.#paneOf.keys()) this.#fit(session);
        for (const viewer of this.#viewers.values()) this.#resubscribe(viewer);
      },
      lost: () => {},
    });
  }

  #flush(): void {
    if (this.#flushing) clearImmediate(this.#flushing);
    this.#flushing = null;
    const chunks = this.#chunks;
    this.#chunks = new Map();
    for (const [id, list] of chunks) {
      this.#pane(id).output(list.length === 1 ? (list[0] as Buffer) : Buffer.concat(list), performance.now());
    }
  }

  start(): void {
    this.#client.start();
  }

  #pane(id: string): Pane {
    let pane = this.#panes.get(id);
    if (!pane) {
      pane = new Pane(id, this.#client);
      this.#panes.set(id, pane);
    }
    return pane;
  }

  setPanes(panes: Map<string, string>): void {
    const before = this.#paneOf;
    this.#paneOf = panes;
    for (const [session, pane] of panes) if (before.get(session) !== pane) this.#fit(session);
    const living = new Set(panes.values());
    for (const id of this.#panes.keys()) if (!living.has(id)) this.#panes.delete(id);
    for (const viewer of this.#viewers.values()) {
      for (const [number, wish] of viewer.wanted) {
        const channel = viewer.channels.get(number);
        // After a crash of tmux a new window may have the number of the old.
        if (channel?.gone || channel?.pane.id !== panes.get(wish.sessionId)) {
          this.#subscribe(viewer, number, wish.sessionId, null);
        }
      }
    }
  }

  open(id: number, clientId: string, canType: boolean, send: (bytes: Uint8Array) => void): void {
    this.#viewers.set(id, {
      clientId,
      canType,
      send,
      channels: new Map(),
      wanted: new Map(),
      pastes: new Map(),
    });
  }

  close(id: number): void {
    const viewer = this.#viewers.get(id);
    this.#viewers.delete(id);
    if (!viewer) return;
    for (const channel of viewer.channels.values()) channel.close();
    const still = [...this.#viewers.values()].some((other) => other.clientId === viewer.clientId);
    if (still) return;
    for (const [session, size] of this.#sizes) {
      // The size stays as it is; only nobody decides it any more.
      if (size.owner === viewer.clientId) {
        size.owner = null;
        this.#tellSize(session);
      }
    }
  }

  receive(id: number, data: Uint8Array): boolean {
    const viewer = this.#viewers.get(id);
    if (!viewer) return true;
    const frame = decodeClient(data);
    if (!frame) return false;
    this.#handle(viewer, frame);
    return true;
  }

  #handle(viewer: Viewer, frame: ClientFrame): void {
    switch (frame.type) {
      case 'sub': {
        const sessionId = Buffer.from(frame.sessionId).toString('latin1');
        viewer.wanted.set(frame.channel, { sessionId, epoch: frame.epoch, from: frame.from });
        this.#subscribe(viewer, frame.channel, sessionId, frame.epoch === this.#epoch ? frame.from : null);
        return;
      }
      case 'unsub':
        viewer.wanted.delete(frame.channel);
        viewer.channels.get(frame.channel)?.close();
        viewer.channels.delete(frame.channel);
        return;
      case 'ack':
        viewer.channels.get(frame.channel)?.ack(frame.bytes);
        return;
      case 'history':
        viewer.channels.get(frame.channel)?.reset();
        return;
    }
    const channel = viewer.channels.get(frame.channel);
    if (!channel || !viewer.canType) return;
    if (frame.type === 'size') {
      this.#size(viewer, channel, frame.cols, frame.rows, frame.claim);
      return;
    }
    // A redial may send again what was already typed: each piece counts once per tab and session.
    const key = `${viewer.clientId} ${channel.sessionId}`;
    if (frame.inputSeq <= (this.#lastInput.get(key) ?? 0)) return;
    this.#lastInput.set(key, frame.inputSeq);
    const bytes = Buffer.from(frame.bytes);
    if (frame.type === 'input') {
      if (bytes.length > TYPED_AS_PASTE)
        this.#inOrder(channel.pane.id, () => this.#paste(channel.pane.id, bytes, false));
      else this.#inOrder(channel.pane.id, () => this.#keys(channel.pane.id, bytes));
      return;
    }
    const pieces = viewer.pastes.get(frame.channel) ?? [];
    pieces.push(bytes);
    if (!frame.last && pieces.reduce((sum, piece) => sum + piece.length, 0) < MAX_PASTE) {
      viewer.pastes.set(frame.channel, pieces);
      return;
    }
    viewer.pastes.delete(frame.channel);
    this.#inOrder(channel.pane.id, () => this.#paste(channel.pane.id, Buffer.concat(pieces), true));
  }

  /**
   * One pane's input in the order it came. A paste is loaded by a process of its own; an Enter typed after it must not
   * overtake it, or it would land in whatever is on the screen then: perhaps a dialog, which it would answer.
   */
  #inOrder(pane: string, act: () => void | Promise<void>): void {
    const before = this.#typing.get(pane);
    const done = before ? before.then(act) : act();
    if (!done) return; // nothing was waiting: a key goes out at once
    const tail = done.then(() => {
      if (this.#typing.get(pane) === tail) this.#typing.delete(pane);
    });
    this.#typing.set(pane, tail);
  }

  #keys(pane: string, bytes: Buffer): void {
    for (let i = 0; i < bytes.length; i += KEYS_AT_ONCE) {
      // Hex is exact; `send-keys -l` loses a trailing semicolon (measured).
      const hex = [...bytes.subarray(i, i + KEYS_AT_ONCE)]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join(' ');
      void this.#client.command(`send-keys -t ${pane} -H ${hex}`).catch(() => {});
    }
  }

  async #paste(pane: string, bytes: Buffer, clean: boolean): Promise<void> {
    const { tmux, socket, env } = this.options;
    const buffer = `t${newId(60)}`;
    const input = clean ? cleanInput(bytes) : bytes;
    if (input.length === 0) return;
    const loaded = await run(tmux, ['-S', socket, 'load-buffer', '-b', buffer, '-'], { env, input }).catch(
      () => null,
    );
    if (loaded?.code !== 0) return;
    await this.#client
      .command(`paste-buffer ${clean ? '-p ' : ''}-r -d -b ${buffer} -t ${pane}`)
      .catch(() => run(tmux, ['-S', socket, 'delete-buffer', '-b', buffer], { env }))
      .catch(() => {});
  }

  #size(viewer: Viewer, channel: Channel, cols: number, rows: number, claim: boolean): void {
    if (cols < 2 || rows < 2 || cols > 1_000 || rows > 1_000) return;
    const size = this.#sizes.get(channel.sessionId) ?? { owner: null, cols: 0, rows: 0 };
    // A second viewer never reshapes the terminal unasked: only who claims it, or has it, decides.
    if (!claim && size.owner !== viewer.clientId) return;
    const changed = size.cols !== cols || size.rows !== rows;
    const owner = size.owner;
    this.#sizes.set(channel.sessionId, { owner: viewer.clientId, cols, rows });
    if (owner !== viewer.clientId || changed) this.#tellSize(channel.sessionId);
    if (!changed) return;
    this.#fit(channel.sessionId);
  }

  /** The window in the size that was decided, also one that was opened since. */
  #fit(sessionId: string): void {
    const size = this.#sizes.get(sessionId);
    const pane = this.#paneOf.get(sessionId);
    if (!size?.cols || !pane) return;
    void this.#client
      .command(`resize-window -t ${pane} -x ${size.cols} -y ${size.rows}`)
      .then(() => {
        for (const watcher of this.#panes.get(pane)?.watchers ?? []) watcher.reset();
      })
      .catch(() => {}); // without a connection: once there is one
  }

  #tellSize(sessionId: string): void {
    const size = this.#sizes.get(sessionId);
    for (const viewer of this.#viewers.values()) {
      for (const channel of viewer.channels.values()) {
        if (channel.sessionId !== sessionId) continue;
        const owner = !size?.owner ? 'none' : size.owner === viewer.clientId ? 'you' : 'other';
        channel.info(size?.cols ? { owner, cols: size.cols, rows: size.rows } : { owner });
      }
    }
  }

  #subscribe(viewer: Viewer, number: number, sessionId: string, from: number | null): void {
    viewer.channels.get(number)?.close();
    viewer.channels.delete(number);
    const paneId = this.#paneOf.get(sessionId);
    if (!paneId) {
      const empty = new Channel(
        number,
        sessionId,
        new Pane('%0', this.#client),
        () => this.#epoch,
        viewer.send,
      );
      empty.info({ gone: true });
      return;
    }
    const channel = new Channel(number, sessionId, this.#pane(paneId), () => this.#epoch, viewer.send);
    viewer.channels.set(number, channel);
    channel.begin(from);
    this.#tellSize(sessionId);
  }

  #resubscribe(viewer: Viewer): void {
    for (const [number, wish] of viewer.wanted) this.#subscribe(viewer, number, wish.sessionId, null);
  }

  stop(): Promise<void> {
    return this.#client.close();
  }
}
