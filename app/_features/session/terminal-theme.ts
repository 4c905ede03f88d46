import type { ITheme } from '@xterm/xterm';

/** The terminal's palette, from the page's own tokens, so both themes fit. */
export function themeFromTokens(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const light = document.documentElement.dataset.theme === 'light';
  return {
    background: token('--sunken'),
    foreground: token('--text'),
    cursor: token('--text'),
    cursorAccent: token('--sunken'),
    selectionBackground: light ? '#b9cdf7' : '#2f4a7d',
    black: light ? '#15191d' : '#1a1e22',
    red: token('--err'),
    green: token('--done'),
    yellow: light ? '#8a5200' : '#ffb224',
    blue: token('--work'),
    magenta: token('--limit'),
    cyan: token('--wait'),
    white: light ? '#4c555e' : '#c9d0d6',
    brightBlack: token('--text-3'),
    brightRed: token('--err'),
    brightGreen: token('--done'),
    brightYellow: light ? '#9a5b00' : '#ffc95c',
    brightBlue: token('--accent'),
    brightMagenta: token('--limit'),
    brightCyan: token('--wait'),
    brightWhite: token('--text'),
  };
}
