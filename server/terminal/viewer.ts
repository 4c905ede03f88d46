import { CREDIT_RESUME, CREDIT_STOP, encodeServer, type ServerFrame, type TerminalInfo } from '../contract';
import { NotConnected } from './control-client';
import type { Pane, PaneWatcher } from './pane';

/**
 * One session on one browser's socket. Sends only while the browser keeps up: it says what it has parsed, and a slow
 * one stops costing anything until it has caught up, from the ring if it still can and from a snapshot if not.
 */
export class Channel implements PaneWatcher {
  #unacked = 0;
  #next = 0; // first byte not sent yet
  #behind = false;
  /** Behind, and with no place to go on from: it needs a snapshot. */
  #stale = false;
  #taking = false;
  #again = false;
  closed = false;
  /** The pane was not there when it was asked for. */
  gone = false;

  constructor(
    readonly number: number,
    readonly sessionId: string,
    readonly pane: Pane,
    private readonly epoch: () => number,
    private readonly sendBytes: (bytes: Uint8Array) => void,
  ) {}

  #send(frame: ServerFrame, cost: number): void {
    this.#unacked += cost;
    this.sendBytes(encodeServer(frame));
  }

  info(info: TerminalInfo): void {
    this.#send({ type: 'info', channel: this.number, json: Buffer.from(JSON.stringify(info)) }, 0);
  }

  /** Begins: goes on at `from` when that is still kept, else with a snapshot. */
  begin(from: number | null): void {
    this.pane.watchers.add(this);
    if (this.pane.skipping) this.flood(true);
    const pieces = from === null || this.pane.skipping ? null : this.pane.since(from);
    if (pieces === null) this.reset();
    else {
      this.info({ gone: false });
      this.#next = from ?? 0;
      for (const piece of pieces) this.out(piece.seq, piece.bytes);
    }
  }

  out(seq: number, bytes: Uint8Array): void {
    if (this.closed || this.#taking || seq < this.#next) return;
    if (this.#behind) return;
    if (this.#unacked > CREDIT_STOP) {
      this.#behind = true;
      return;
    }
    this.#next = seq + bytes.length;
    this.#send({ type: 'out', channel: this.number, epoch: this.epoch(), seq, bytes }, bytes.length);
  }

  ack(bytes: number): void {
    this.#unacked = Math.max(0, this.#unacked - bytes);
    if (!this.#behind || this.#unacked > CREDIT_RESUME || this.#taking || this.pane.skipping) return;
    this.#behind = false;
    const pieces = this.#stale ? null : this.pane.since(this.#next);
    if (pieces === null) this.reset();
    else for (const piece of pieces) this.out(piece.seq, piece.bytes);
  }

  reset(): void {
    if (this.#taking) this.#again = true;
    else if (this.#unacked > CREDIT_STOP) {
      // One that stands still would be owed a snapshot more with every flood.
      this.#behind = true;
      this.#stale = true;
    } else void this.#take();
  }

  async #take(): Promise<void> {
    this.#taking = true;
    try {
      do {
        this.#again = false;
        const { seq, snapshot } = await this.pane.snapshot();
        if (this.closed) return;
        this.#next = seq;
        this.#behind = false;
        this.#stale = false;
        this.gone = false;
        const { cols, rows, bytes } = snapshot;
        const place = { channel: this.number, epoch: this.epoch(), seq };
        this.#send({ type: 'snap', ...place, cols, rows, bytes }, bytes.length);
        this.info({ gone: false, title: snapshot.title });
        // What came while the snapshot was on its way may be more than is kept.
      } while (this.#again || (!this.pane.skipping && this.pane.since(this.#next) === null));
    } catch (error) {
      // Without a connection nothing is known; with the next one every viewer begins anew.
      if (this.closed || error instanceof NotConnected) return;
      this.gone = true;
      this.info({ gone: true });
      return;
    } finally {
      this.#taking = false;
    }
    if (this.pane.skipping) return;
    for (const piece of this.pane.since(this.#next) ?? []) this.out(piece.seq, piece.bytes);
  }

  frame(seq: number, bytes: Buffer): void {
    if (this.closed || this.#taking || this.#unacked > CREDIT_RESUME) return;
    this.#send({ type: 'frame', channel: this.number, seq, bytes }, bytes.length);
  }
  flood(on: boolean): void {
    this.info({ flood: on });
  }
  bell(): void {
    this.info({ bell: true });
  }
  clipboard(text: string): void {
    this.info({ clipboard: text });
  }

  close(): void {
    this.closed = true;
    this.pane.watchers.delete(this);
  }
}
