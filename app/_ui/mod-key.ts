/** How this machine writes the key of our shortcuts. Call it only in what is drawn in a browser. */
export const modKey = (): string =>
  typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';
