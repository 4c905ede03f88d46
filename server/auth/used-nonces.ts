import { createHash } from 'node:crypto';

export interface UsedNonces {
  /** False if this device has used this nonce before. */
  use(deviceId: string, nonce: string): boolean;
}

const PER_DEVICE = 2_048;

/**
 * Remembers the nonces of signed answers so that none counts twice. Bounded: the oldest of a device make room for
 * new ones, and a device can only push out its own. Forgetting (that, or a restart) cannot revive an answer: it
 * names one need, and a need that is no longer pending refuses every answer.
 */
export function createUsedNonces(): UsedNonces {
  const used = new Map<string, Set<string>>();
  return {
    use(deviceId, nonce) {
      const key = createHash('sha256').update(nonce).digest('base64url');
      let mine = used.get(deviceId);
      if (!mine) used.set(deviceId, (mine = new Set()));
      if (mine.has(key)) return false;
      mine.add(key);
      if (mine.size > PER_DEVICE) mine.delete(mine.values().next().value!);
      return true;
    },
  };
}
