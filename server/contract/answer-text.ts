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
  detail?: string | undefined;
}): string =>
  [
    'offdeck-answer-1',
    a.serverId,
    a.needId,
    a.digest,
    a.decision,
    a.deviceId,
    a.nonce,
    String(a.time),
    // Last, so that whatever it holds cannot pose as one of the others.
    ...(a.detail === undefined ? [] : [a.detail]),
  ].join('\n');
