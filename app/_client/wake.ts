/**
 * When this page comes back: out of a sleep, out of the back/forward cache, or onto a network again. A socket may then
 * be dead without knowing it, so its owner dials a new one. A short look at another tab is no sleep.
 */
const SLEPT_MS = 10_000;

export function onWake(act: () => void): void {
  let hiddenAt = 0;
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') hiddenAt = Date.now();
    else if (Date.now() - hiddenAt > SLEPT_MS) act();
  });
  addEventListener('pageshow', (event) => {
    if (event.persisted) act();
  });
  addEventListener('online', act);
}
