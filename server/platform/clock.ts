/** Time, injectable. Only this file may read the machine's clock, so a test can jump it by a day. */
export interface Clock {
  /** Wall clock, ms since epoch: for what is shown and stored. */
  now(): number;
  /** Monotonic ms: for durations and timeouts; never goes back. */
  mono(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
};
