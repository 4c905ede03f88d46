import { type Challenge, CLOSE, helloText, PROTOCOL } from '@/server/contract';
import { readIdentity, sign } from './device-key';

/** What went wrong with the device itself, so the app can say how to get in again. */
export type Refusal = 'no-device' | 'refused' | 'revoked' | 'protocol';
let onRefusal: (why: Refusal) => void = () => {};
export const listenForRefusal = (listener: (why: Refusal) => void): void => {
  onRefusal = listener;
};

/** How long connecting and proving may take before it counts as failed. */
const PROOF_MS = 10_000;

/**
 * A WebSocket that proves this device before it says "open", and says "closed" at once when closed: a browser waits
 * half a minute for a dead peer's goodbye, and the client would wait with it (measured: a phone's wake).
 */
export class ProvenSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readyState = 0;
  onopen: ((event: Event) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  #ws: WebSocket;
  #purpose: string;
  #patience: ReturnType<typeof setTimeout>;

  constructor(readonly url: string) {
    super();
    this.#purpose = new URL(url).pathname;
    this.#ws = new WebSocket(url);
    this.#ws.binaryType = 'arraybuffer';
    this.#ws.onmessage = (event) => void this.#shake(event);
    this.#ws.onclose = (event) => this.#ended(event.code, event.reason);
    this.#ws.onerror = () => this.#tell(new Event('error'));
    // A network that swallows packets answers nothing at all, not even a refusal.
    this.#patience = setTimeout(() => this.close(), PROOF_MS);
  }

  async #shake(event: MessageEvent): Promise<void> {
    try {
      const message = JSON.parse(String(event.data)) as { t?: string };
      if (message.t === 'challenge') {
        const { nonce, serverId, protocol } = message as Challenge;
        const identity = await readIdentity();
        if (!identity || identity.serverId !== serverId) {
          onRefusal('no-device');
          this.close();
          return;
        }
        if (protocol !== PROTOCOL) {
          onRefusal('protocol');
          this.close();
          return;
        }
        const { deviceId, keys } = identity;
        const time = Date.now();
        const text = helloText({
          serverId,
          origin: location.origin,
          nonce,
          time,
          deviceId,
          purpose: this.#purpose,
        });
        const sig = await sign(keys, text);
        this.#ws.send(JSON.stringify({ t: 'hello', protocol: PROTOCOL, deviceId, nonce, time, sig }));
      } else if (message.t === 'welcome') {
        this.readyState = 1;
        clearTimeout(this.#patience);
        this.#ws.onmessage = (later) => this.#tell(new MessageEvent('message', { data: later.data }));
        this.#tell(new Event('open'));
      }
    } catch {
      this.close();
    }
  }

  #tell(event: Event): void {
    const handler = this[`on${event.type}` as 'onopen'];
    handler?.call(this, event);
    this.dispatchEvent(event);
  }

  #ended(code: number, reason: string): void {
    if (this.readyState === 3) return;
    clearTimeout(this.#patience);
    const opened = this.readyState === 1;
    this.readyState = 3;
    if (code === CLOSE.refused) onRefusal('refused');
    if (code === CLOSE.revoked) onRefusal('revoked');
    if (code === CLOSE.protocol) onRefusal('protocol');
    // Who waits for "open" is told by "error" only: without it the client would wait for ever and never dial again.
    if (!opened) this.#tell(new Event('error'));
    this.#tell(new CloseEvent('close', { code, reason }));
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.readyState === 1) this.#ws.send(data);
  }

  close(): void {
    this.#ws.onmessage = null;
    this.#ws.close();
    queueMicrotask(() => this.#ended(1000, 'closed here'));
  }
}

export const socketUrl = (path: string): string => `${location.origin.replace(/^http/, 'ws')}${path}`;
