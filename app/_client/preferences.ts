/** What this browser prefers. Nothing secret is ever kept here. */
const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const write = (key: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
};

export type Theme = 'system' | 'dark' | 'light';
export const readTheme = (): Theme => (read('theme') as Theme | null) ?? 'system';
export function setTheme(theme: Theme): void {
  write('theme', theme === 'system' ? null : theme);
  const light =
    theme === 'light' || (theme === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
}

export const readFontSize = (): number => {
  const size = Number(read('terminal-size'));
  return size >= 8 && size <= 28 ? size : 13;
};
export const setFontSize = (size: number): void => write('terminal-size', String(size));

export const readChoice = (key: string): string | null => read(`last-${key}`);
export const keepChoice = (key: string, value: string): void => write(`last-${key}`, value);
