import { type AnswerDetail, answerText, type Decision, type Need } from '@/server/contract';
import { api } from './api';
import { base64url, readIdentity, sign } from './device-key';

/** Signs exactly what was shown and hands it over; resolves with the request as the host has it then. */
export async function answer(need: Need, decision: Decision, detail?: AnswerDetail): Promise<Need> {
  const identity = await readIdentity();
  if (!identity) throw new Error('This browser is not paired with the host.');
  const tuple = {
    needId: need.id,
    digest: need.digest,
    decision,
    ...(detail === undefined ? {} : { detail: JSON.stringify(detail) }),
    nonce: base64url(crypto.getRandomValues(new Uint8Array(18))),
    time: Date.now(),
  };
  const sig = await sign(
    identity.keys,
    answerText({ ...tuple, serverId: identity.serverId, deviceId: identity.deviceId }),
  );
  return (await api().needs.answer.mutate({ ...tuple, sig })) as Need;
}
