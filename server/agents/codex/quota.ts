import type { Quota } from '../../contract';
import type { RateWindow } from './protocol';

/** Pure. "5 hours", "7 days", "90 minutes". */
export function windowLabel(minutes: number | null | undefined): string {
  if (!minutes) return 'Limit';
  const [count, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Pure. Null when the server named no window. */
export function quotaOf(
  limits: { primary?: RateWindow | null | undefined; secondary?: RateWindow | null | undefined },
  now: number,
): Quota | null {
  const windows = [limits.primary, limits.secondary].flatMap((window) =>
    window
      ? [
          {
            label: windowLabel(window.windowDurationMins),
            usedPct: window.usedPercent,
            resetsAt: window.resetsAt ? window.resetsAt * 1000 : null,
          },
        ]
      : [],
  );
  return windows.length === 0 ? null : { windows, at: now, source: 'app-server' };
}

/** Pure. When work can go on: the last used-up window must have been reset. Null when none is used up. */
export const resetOf = (quota: Quota | null): number | null => {
  const resets = (quota?.windows ?? []).flatMap((w) => (w.usedPct >= 100 && w.resetsAt ? [w.resetsAt] : []));
  return resets.length === 0 ? null : Math.max(...resets);
};
