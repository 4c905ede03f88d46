import type WebSocket from 'ws';
import {
  ACK_BYTES,
  type ClientFrame,
  decodeServer,
  encodeClient,
  type ServerFrame,
  type TerminalInfo,
} from '../../server/contract';
import type { Device } from './device';
import { Waiting } from './waiting';

export interface ViewerOptions {
  tab?: string;
  cols?: number;
  rows?: number;
  /** False: never says that it has taken anything, as a phone that stands still. */
  acks?: boolean;
  /** Go on from here instead of from a snapshot. */
  from?: { epoch: number; seq: number };
  onFrame?(frame: ServerFrame): void;
}

const KEPT = 256 * 1024;
let tabs = 0;

/** A terminal viewer without a screen: the wire of the browser's, for tests and benches. `close` ends it. */
export class TerminalViewer {
  bytes = 0;
  frames = 0;
  snapshots = 0;
  epoch = 0;
  seq = 0;
  info: TerminalInfo = {};
  /** The newest output, one character a byte. */
  text = '';
  readonly #waiting = new Waiting();
  #typed = 0;
  #unacked = 0;

  private constructor(
    private readonly ws: WebSocket,
    private readonly options: ViewerOptions,
  ) {}

  static async open(device: Device, sessionId: string, options: ViewerOptions = {}): Promise<TerminalViewer> {
    const ws = await device.socket('/ws/term', `?tab=${options.tab ?? `v${process.pid}x${++tabs}`}`);
    const viewer = new TerminalViewer(ws, options);
    ws.on('error', () => {});
    ws.on('message', (data: Buffer, binary) => {
      if (binary) viewer.#receive(data);
    });
    viewer.send({
      type: 'sub',
      channel: 1,
      sessionId: Buffer.from(sessionId),
      epoch: options.from?.epoch ?? 0,
      from: options.from?.seq ?? null,
    });
    if (options.cols) {
      viewer.send({ type: 'size', channel: 1, cols: options.cols, rows: options.rows ?? 32, claim: true });
    }
    return viewer;
  }

  send(frame: ClientFrame): void {
    this.ws.send(encodeClient(frame));
  }

  /** As the browser does it: together, before the host would stop. */
  #ack(bytes: number): void {
    this.#unacked += bytes;
    if (this.#unacked < ACK_BYTES) return;
    this.send({ type: 'ack', channel: 1, bytes: this.#unacked });
    this.#unacked = 0;
  }
  type(keys: string): void {
    this.send({ type: 'input', channel: 1, inputSeq: ++this.#typed, bytes: Buffer.from(keys) });
  }

  #receive(data: Buffer): void {
    const frame = decodeServer(data);
    if (!frame) throw new Error('a frame that cannot be read');
    this.frames++;
    if (frame.type === 'info') {
      this.info = { ...this.info, ...(JSON.parse(Buffer.from(frame.json).toString('utf8')) as TerminalInfo) };
    } else {
      this.bytes += frame.bytes.length;
      if (frame.type === 'snap') {
        this.snapshots++;
        this.text = '';
      }
      if (frame.type === 'snap' || frame.type === 'out') {
        this.epoch = frame.epoch;
        this.seq = frame.type === 'snap' ? frame.seq : frame.seq + frame.bytes.length;
      }
      this.text = (this.text + Buffer.from(frame.bytes).toString('latin1')).slice(-KEPT);
      if (this.options.acks !== false) this.#ack(frame.bytes.length);
    }
    this.options.onFrame?.(frame);
    this.#waiting.look();
  }

  /** Resolves when the test holds, which is asked again with every frame. */
  until(what: string, test: () => boolean, ms = 30_000): Promise<void> {
    return this.#waiting.until(what, test, ms);
  }
  shows(text: string, ms?: number): Promise<void> {
    return this.until(`"${text}" on the screen`, () => this.text.includes(text), ms);
  }

  close(): void {
    this.ws.terminate();
  }
}
