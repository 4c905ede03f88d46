import { cutText, MAX_OUT } from '../contract';
import type { ControlClient } from './control-client';
import { Modes } from './modes';
import { OutputFilter } from './output-filter';
import { type Frame, type Snapshot, takeFrame, takeSnapshot } from './snapshot';

const RING_BYTES = 1024 * 1024;
const RING_MS = 60_000;
/** Output is skipped when more than this came within the window: about 1 MB a second, what a phone can parse. */
const FLOOD_BYTES = 110 * 1024;
const FLOOD_WINDOW_MS = 100;
const FRAME_MS = 50;
const MAX_HOLD_MS = 2_000;

interface Piece {
  seq: number;
  bytes: Uint8Array;
}
function piecesOf(seq: number, bytes: Buffer): Piece[] {
  let at = seq;
  return cutText(bytes, MAX_OUT).map((piece) => {
    at += piece.length;
    return { seq: at - piece.length, bytes: piece };
  });
}

/** How many bytes at the beginning end a character that began before. */
function tornOff(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

/** Who watches a pane; see hub.ts. */
export interface PaneWatcher {
  out(seq: number, bytes: Uint8Array): void;
  /** Takes a whole new state: after a flood or a resize. */
  reset(): void;
  /** A picture during a flood, if it can take one. */
  frame(seq: number, bytes: Buffer): void;
  flood(on: boolean): void;
  bell(): void;
  clipboard(text: string): void;
}

/** One pane's output: its place in the stream, the last megabyte of it, and the skipping of floods. */
export class Pane {
  seq = 0;
  skipping = false;
  readonly watchers = new Set<PaneWatcher>();
  readonly modes = new Modes();
  #filter = new OutputFilter();
  #ring: Buffer[] = [];
  #ringBytes = 0;
  #windowStart = 0;
  #windowBytes = 0;
  #hold = 0;
  #watched = Number.NEGATIVE_INFINITY;
  #continued = 0;
  /** Whether the place in the stream may be within a sequence that we did not see begin. */
  #unsure = true;
  /** Nothing was printed since we are sure, or only the end of a character that we did not see begin. */
  #fresh = false;

  constructor(
    readonly id: string,
    private readonly client: ControlClient,
  ) {}

  output(raw: Buffer, now: number): void {
    if (now - this.#windowStart > FLOOD_WINDOW_MS) {
      this.#windowStart = now;
      this.#windowBytes = 0;
    }
    this.#windowBytes += raw.length;
    const torn = this.#fresh ? tornOff(raw) : 0;
    this.#fresh &&= torn === raw.length;
    const { bytes, clipboard, bell } = this.#filter.push(torn > 0 ? raw.subarray(torn) : raw);
    if (this.modes.push(bytes)) {
      void this.client.command(`set-option -p -t ${this.id} @modes ${this.modes.save()}`).catch(() => {});
    }
    const at = this.seq;
    this.seq += bytes.length;
    if (this.watchers.size > 0) this.#watched = now;
    // Kept for a while after the last viewer left, so that a redial goes on where it was; then not at all. Never in
    // part: a gap in the ring would be sent as if it were the stream.
    if (now - this.#watched < RING_MS) this.#keep(bytes);
    else this.forget();
    const pieces = this.skipping ? [] : piecesOf(at, bytes);
    for (const watcher of this.watchers) {
      for (const piece of pieces) watcher.out(piece.seq, piece.bytes);
      if (bell) watcher.bell();
      for (const text of clipboard) watcher.clipboard(text);
    }
    // The character is in the grid now, and only there.
    if (torn > 0) for (const watcher of this.watchers) watcher.reset();
    if (this.#windowBytes > FLOOD_BYTES && !this.skipping) void this.#skip(now);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#ring.push(bytes);
    this.#ringBytes += bytes.length;
    while (this.#ringBytes > RING_BYTES && this.#ring.length > 1) {
      this.#ringBytes -= this.#ring.shift()?.length ?? 0;
    }
  }

  /** What was written since `seq`, in pieces; null when that is no longer kept. */
  since(seq: number): Piece[] | null {
    if (seq > this.seq || seq < this.seq - this.#ringBytes) return null;
    const pieces: Piece[] = [];
    let at = this.seq - this.#ringBytes;
    for (const chunk of this.#ring) {
      const from = Math.max(0, seq - at);
      if (from < chunk.length) pieces.push(...piecesOf(at + from, chunk.subarray(from)));
      at += chunk.length;
    }
    return pieces;
  }

  forget(): void {
    this.#ring = [];
    this.#ringBytes = 0;
  }

  async snapshot(): Promise<{ seq: number; snapshot: Snapshot }> {
    let seq = this.seq;
    const snapshot = await takeSnapshot(this.client, this.id, this.modes, {
      begin: () => {
        seq = this.seq;
      },
      ...(this.#unsure ? { pending: (bytes: Buffer) => this.#resume(bytes) } : {}),
    });
    return { seq, snapshot };
  }

  #resume(pending: Buffer): void {
    if (!this.#unsure) return;
    this.#unsure = false;
    this.#fresh = true;
    this.#filter.resume(pending);
  }

  /**
   * A flood: tmux stops telling us and reads the application at full speed (a control client that takes every byte
   * slows the agent to a third, measured), while viewers get about twenty pictures a second and then one exact state.
   */
  async #skip(now: number): Promise<void> {
    this.skipping = true;
    // A stream that floods again right after a pause is held longer each time, so `yes` does not flap.
    this.#hold = now - this.#continued < 1_500 ? Math.min(MAX_HOLD_MS, this.#hold * 2 || 250) : 0;
    const heldUntil = now + this.#hold;
    for (const watcher of this.watchers) watcher.flood(true);
    try {
      await this.client.command(`refresh-client -A '${this.id}:pause'`);
      let last: Frame | null = null;
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, this.watchers.size > 0 ? FRAME_MS : FRAME_MS * 5));
        const frame = await takeFrame(this.client, this.id);
        const same = last?.bytes.equals(frame.bytes) ?? false;
        // Lines that are all alike make the same picture for ever, and are no end of the flood.
        if (same && last?.mark === frame.mark && performance.now() >= heldUntil) break;
        if (!same) for (const watcher of this.watchers) watcher.frame(this.seq, frame.bytes);
        last = frame;
      }
      this.forget();
      this.#filter = new OutputFilter();
      this.modes.forget();
      this.#unsure = true;
      // A viewer that was away while it flooded must not take this for the place where it left.
      this.seq++;
      await this.client.command(`refresh-client -A '${this.id}:continue'`);
    } catch {
      // The pane or the connection went away; a new connection starts anew.
    }
    this.skipping = false;
    this.#continued = performance.now();
    this.#windowBytes = 0;
    for (const watcher of this.watchers) {
      watcher.flood(false);
      watcher.reset();
    }
  }
}
