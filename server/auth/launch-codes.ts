import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, newSecret } from '../platform';

export interface LaunchCodes {
  /** A fresh 256-bit code for the fragment of a launch URL. */
  issue(): string;
  /** True exactly once for a code that is known and younger than a minute. */
  take(code: string): boolean;
}

export const LAUNCH_CODE_MS = 60_000;
/** More than one may be open (two terminals, a retry), but never a heap of them. */
const MAX_OPEN = 16;

const hash = (code: string): Buffer => createHash('sha256').update(code).digest();

/**
 * One-use codes that buy a browser its registration (S-09). Only hashes are kept, only in memory: a restart ends all
 * of them, and neither a core file nor the database can give one away. `take` has no await, so of two simultaneous
 * requests with the same code exactly one wins.
 */
export function createLaunchCodes(clock: Pick<Clock, 'mono'>): LaunchCodes {
  let open: { hash: Buffer; until: number }[] = [];
  return {
    issue() {
      const code = newSecret('odl');
      open = [...open.slice(1 - MAX_OPEN), { hash: hash(code), until: clock.mono() + LAUNCH_CODE_MS }];
      return code;
    },
    take(code) {
      const now = clock.mono();
      const wanted = hash(code);
      let found = false;
      // Every entry is compared, found or not: the time taken says nothing about which one matched.
      open = open.filter((entry) => {
        const same = timingSafeEqual(entry.hash, wanted);
        const fresh = now < entry.until;
        if (same && fresh) found = true;
        return fresh && !same;
      });
      return found;
    },
  };
}
