import { CREDIT_RESUME, CREDIT_STOP, encodeServer, type ServerFrame, type TerminalInfo } from '../contract';
import type { Pane, PaneWatcher } from './pane';

/**
 * One session on one browser's socket. Sends only while the browser keeps up: it says what it has parsed, and a slow
 * one stops costing anything until it has caught up, from the ring if it still can and from a snapshot if not.
 */
export class Channel implements PaneWatcher {
  #unacked = 0;
  #next = 0; // first byte not sent yet
  #behind = false;
  #taking = false;
  #again = false;
  closed = false;

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
    const pieces = from === null || this.pane.skipping ? null : this.pane.since(from);
    if (pieces === null) this.reset();
    else {
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
    const pieces = this.pane.since(this.#next);
    if (pieces === null) this.reset();
    else for (const piece of pieces) this.out(piece.seq, piece.bytes);
  }

  reset(): void {
    if (this.#taking) {
      this.#again = true;
      return;
    }
    this.#taking = true;
    void this.pane
      .snapshot()
      .then(({ seq, snapshot }) => {
        if (this.closed) return;
        this.#next = seq;
        this.#behind = false;
        this.#send(
          {
            type: 'snap',
            channel: this.number,
            epoch: this.epoch(),
            seq,
            cols: snapshot.cols,
            rows: snapshot.rows,
            bytes: snapshot.bytes,
          },
          snapshot.bytes.length,
        );
        this.info({ title: snapshot.title, bracketed: this.pane.modes.bracketed });
      })
      .catch(() => {
        if (!this.closed) this.info({ gone: true });
      })
      .finally(() => {
        this.#taking = false;
        if (this.closed) return;
        if (this.#again) {
          this.#again = false;
          this.reset();
          return;
        }
        // What came while the snapshot was on its way.
        const pieces = this.pane.skipping ? [] : this.pane.since(this.#next);
        if (pieces === null) this.reset();
        else for (const piece of pieces) this.out(piece.seq, piece.bytes);
      });
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
  bracketed(on: boolean): void {
    this.info({ bracketed: on });
  }

  close(): void {
    this.closed = true;
    this.pane.watchers.delete(this);
  }
}
