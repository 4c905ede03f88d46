/** The p-th percentile of the values; NaN for none. */
export const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * p) / 100))] ??
  Number.NaN;

export const times = (ratio: number): string => `${ratio.toFixed(2)}×`;

/** "1.20× (≤ 1.50×)" and whether it holds. */
export const against = (ratio: number, budget: number, most = true): string =>
  `${times(ratio)} (${most ? '≤' : '≥'} ${budget.toFixed(2)}×) ${(most ? ratio <= budget : ratio >= budget) ? 'ok' : 'OVER'}`;
