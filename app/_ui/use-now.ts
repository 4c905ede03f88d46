import { useSyncExternalStore } from 'react';

let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** The time, again every second; one clock for the whole page, so that all its times step together. */
export function useNow(): number {
  return useSyncExternalStore(
    listen,
    () => {
      // Nobody ticked while nobody listened.
      if (timer === null) now = Date.now();
      return now;
    },
    () => 0,
  );
}
