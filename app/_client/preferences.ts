/** What this browser prefers. Nothing secret is ever kept here. */
export const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
export const write = (key: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
};

export const FONT_SIZES = { least: 8, most: 28, usual: 13 } as const;
export const readFontSize = (): number => {
  const size = Number(read('terminal-size'));
  return size >= FONT_SIZES.least && size <= FONT_SIZES.most ? size : FONT_SIZES.usual;
};
export const setFontSize = (size: number): void => write('terminal-size', String(size));

/** Switches of the terminal; both off until chosen. */
export type Switch = 'terminal-gpu' | 'terminal-reader';
export const isOn = (name: Switch): boolean => read(name) === 'on';
export const turn = (name: Switch, on: boolean): void => write(name, on ? 'on' : null);

export const readChoice = (key: string): string | null => read(`last-${key}`);
export const keepChoice = (key: string, value: string): void => write(`last-${key}`, value);
