import type { AnswerDetail } from '../../contract';
import type { VendorEvent } from '../port';
import type { RequestId } from './app-server';
import type { Described } from './requests';

type Settled = Extract<VendorEvent, { type: 'settled' }>;
type Send = (id: RequestId, result: unknown) => Promise<boolean>;

interface Open {
  id: RequestId;
  reply: Described['reply'];
  answered: boolean;
}

const NO_LONGER = 'Codex no longer waits for it: it was answered in the terminal, or its turn ended.';

/**
 * The requests that wait on the present connection. An id of a request is good on its own connection only, so what an
 * earlier one left is kept by name until the server repeats it, and can be answered only then.
 */
export class OpenRequests {
  #open = new Map<string, Open>();
  #unseen = new Set<string>();

  add(id: RequestId, described: Described): void {
    const { vendorRef } = described.asked;
    this.#unseen.delete(vendorRef);
    this.#open.set(vendorRef, { id, reply: described.reply, answered: false });
  }

  /** The connection is gone: nothing can be answered until it is asked again. */
  disconnected(): void {
    for (const vendorRef of this.#open.keys()) this.#unseen.add(vendorRef);
    this.#open.clear();
  }

  /** After the server has repeated what waits: the rest was answered or dropped while we were not looking. */
  notRepeated(): Settled[] {
    const gone = [...this.#unseen];
    this.#unseen.clear();
    return gone.map((vendorRef) => settled(vendorRef, 'answered-elsewhere', NO_LONGER));
  }

  /** The thread waits for nothing, so neither does anything that was known before, by us or by an earlier host. */
  none(): Settled {
    this.#unseen.clear();
    this.#open.clear();
    return settled('all', 'answered-elsewhere', NO_LONGER);
  }

  /** Somebody's answer was the first. */
  resolved(id: RequestId): Settled[] {
    for (const [vendorRef, request] of this.#open) {
      if (request.id !== id) continue;
      this.#open.delete(vendorRef);
      return [
        request.answered
          ? settled(vendorRef, 'confirmed', 'Codex took the answer.')
          : settled(vendorRef, 'answered-elsewhere', 'Answered in the terminal.'),
      ];
    }
    return [];
  }

  turnEnded(): Settled[] {
    const left = [...this.#open.keys(), ...this.#unseen];
    this.#open.clear();
    this.#unseen.clear();
    return left.map((vendorRef) => settled(vendorRef, 'cancelled', 'Its turn ended.'));
  }

  /** Sends a decision once. 'gone' when this very request does not wait here, cannot be answered, or was. */
  async answer(
    vendorRef: string,
    decision: 'allow' | 'deny',
    detail: AnswerDetail,
    send: Send,
  ): Promise<'taken' | 'gone'> {
    const request = this.#open.get(vendorRef);
    if (!request?.reply || request.answered) return 'gone';
    request.answered = true; // before the wait: a second tap must not send a second answer
    if (await send(request.id, request.reply(decision, detail))) return 'taken';
    request.answered = false;
    return 'gone';
  }
}

const settled = (vendorRef: string, how: Settled['how'], note: string): Settled => ({
  type: 'settled',
  vendorRef,
  how,
  note,
});
