import type { Decision } from './need';

/** The exact text a device signs to answer. Order and separators are part of the protocol. */
export const answerText = (a: {
  serverId: string;
  needId: string;
  digest: string;
  decision: Decision;
  deviceId: string;
  nonce: string;
  time: number;
}): string =>
  ['offdeck-answer-1', a.serverId, a.needId, a.digest, a.decision, a.deviceId, a.nonce, String(a.time)].join(
    '\n',
  );
