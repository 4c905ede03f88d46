import {
  type AnswerDetail,
  AppError,
  type Decision,
  type DeviceId,
  type Need,
  type NeedId,
  type SessionId,
  type SignedAnswer,
} from '../contract';
import type { Log } from '../log';
import { type Clock, type CrashPoint, type Journal, newId } from '../platform';
import { type Asked, isOpen, judgeAnswer, readDetail, recordNeed, sameRequest, settle } from './decide';
import type { NeedReader } from './store';

export type Settled = {
  vendorRef: string | 'all';
  how: 'confirmed' | 'answered-elsewhere' | 'cancelled';
  note: string;
};

export interface NeedDeps {
  log: Log;
  reader: NeedReader;
  clock: Clock;
  journal: Journal;
  crash: CrashPoint;
  cwdOf(sessionId: SessionId): string;
  /** Checks the device and its signature over exactly this tuple; returns the device's label. Throws AppError. */
  verify(answer: SignedAnswer & { deviceId: DeviceId }): string;
  deliver(
    sessionId: SessionId,
    vendorRef: string,
    decision: Decision,
    message: string,
    detail: AnswerDetail,
  ): Promise<'taken' | 'gone'>;
}

export interface Needs {
  asked(sessionId: SessionId, asked: Asked): void;
  settled(sessionId: SessionId, settled: Settled): void;
  answer(deviceId: DeviceId, answer: SignedAnswer): Promise<Need>;
  /** After a start: what nobody takes up again within a while is lost, and the native prompt is the answer. */
  reconcile(): void;
  close(): void;
}

/** A request that the vendor does not repeat within this long after a restart of the host is gone. */
const REPEAT_MS = 30_000;
const SWEEP_MS = 5_000;

/** What the agent is told with a denial; only ever sent for a person's own "no". */
const DENIED = 'The user denied this in Offdeck.';

export function createNeeds(deps: NeedDeps): Needs {
  const { log, reader, clock, journal } = deps;
  const unrepeated = new Map<NeedId, number>(); // since when (monotonic) we wait for the vendor to repeat it
  const interrupted = new Set<NeedId>(); // answered before this start of the host, and not known to be delivered

  const move = (need: Need, state: Need['state'], note: string | null) =>
    log.commit([{ type: 'need.moved', needId: need.id, state, note }]);

  const clearEffect = (id: NeedId) => {
    for (const effect of log.effects('need.deliver')) {
      if ((effect.body as { needId: string }).needId === id) log.effectDone(effect.id);
    }
  };

  const deliver = async (id: NeedId): Promise<void> => {
    const need = reader.get(id);
    if (need?.state !== 'answered' || need.decision === null) return;
    const detail = readDetail(need, need.decision, need.detail ?? undefined);
    const message = need.decision === 'deny' ? detail.text?.trim() || DENIED : '';
    const outcome = await deps
      .deliver(need.sessionId, need.vendorRef, need.decision, message, detail)
      .catch((cause: unknown) => {
        journal.warn(`an answer could not be delivered to session ${need.sessionId}`, cause);
        return 'gone' as const;
      });
    deps.crash('need.delivered-before-commit');
    const now = reader.get(id);
    if (outcome === 'taken') {
      // The agent may have acted, and said so, before this line runs.
      if (now?.state === 'answered') move(now, 'delivered', null);
      clearEffect(id);
    } else if (now?.state === 'answered' && !unrepeated.has(id)) {
      unrepeated.set(id, clock.mono());
    }
  };

  const sweep = () => {
    for (const need of reader.open()) {
      if (need.state === 'pending' && clock.now() >= need.expires) {
        move(need, 'expired', 'Nobody answered in time; the question still stands in the terminal.');
      }
    }
    for (const [id, since] of unrepeated) {
      if (clock.mono() - since < REPEAT_MS) continue;
      unrepeated.delete(id);
      const need = reader.get(id);
      if (need?.state === 'delivered') {
        move(need, 'confirmed', 'The agent took the answer; what it did then was not seen.');
      } else if (need && isOpen(need)) {
        move(need, 'lost', 'The agent no longer waits for it here; look at its terminal.');
        clearEffect(id);
      }
    }
  };
  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();

  return {
    asked(sessionId, asked) {
      const known = reader.openOf(sessionId).find((need) => need.vendorRef === asked.vendorRef);
      if (known && sameRequest(known, asked, deps.cwdOf(sessionId))) {
        unrepeated.delete(known.id);
        interrupted.delete(known.id);
        if (known.state === 'answered') void deliver(known.id);
        return;
      }
      const need = recordNeed(asked, {
        id: newId(130),
        sessionId,
        home: deps.cwdOf(sessionId),
        now: clock.now(),
      });
      log.commit([
        ...(known
          ? [
              {
                type: 'need.moved' as const,
                needId: known.id,
                state: 'superseded' as const,
                note: 'The agent asks something else now.',
              },
            ]
          : []),
        { type: 'need.asked', need },
      ]);
      deps.crash('need.asked');
    },

    settled(sessionId, { vendorRef, how, note }) {
      for (const need of reader.openOf(sessionId)) {
        if (vendorRef !== 'all' && need.vendorRef !== vendorRef) continue;
        const event = settle(need, how, note, interrupted.has(need.id));
        if (!event) continue;
        unrepeated.delete(need.id);
        interrupted.delete(need.id);
        log.commit([event]);
        clearEffect(need.id);
      }
    },

    async answer(deviceId, answer) {
      const need = reader.get(answer.needId);
      if (!need) throw new AppError({ code: 'not-found', message: 'Not applied. There is no such request.' });
      const label = deps.verify({ ...answer, deviceId });
      if (judgeAnswer(need, { ...answer, deviceId }, clock.now()) === 'repeat') return need;
      readDetail(need, answer.decision, answer.detail);
      log.commit(
        [
          {
            type: 'need.answered',
            needId: need.id,
            decision: answer.decision,
            ...(answer.detail === undefined ? {} : { detail: answer.detail }),
            deviceId,
            deviceLabel: label,
            signature: answer.sig,
          },
        ],
        {
          effects: [{ kind: 'need.deliver', key: `deliver-${need.id}`, body: { needId: need.id } }],
          // Read again inside the transaction: only one answer can find it pending.
          guard: () => {
            const now = reader.get(need.id);
            if (!now || judgeAnswer(now, { ...answer, deviceId }, clock.now()) !== 'record') {
              throw new AppError({ code: 'conflict', message: 'Not applied. It has been answered already.' });
            }
          },
        },
      );
      deps.crash('need.answered');
      await deliver(need.id);
      deps.crash('need.delivered');
      return reader.get(need.id) ?? need;
    },

    reconcile() {
      for (const need of reader.open()) {
        unrepeated.set(need.id, clock.mono());
        if (need.state === 'answered') interrupted.add(need.id);
      }
    },

    close() {
      clearInterval(timer);
    },
  };
}
