import { read, write } from './preferences';

export type Theme = 'system' | 'dark' | 'light';
const SYSTEM_LIGHT = '(prefers-color-scheme: light)';

export function readTheme(): Theme {
  const kept = read('theme');
  return kept === 'dark' || kept === 'light' ? kept : 'system';
}

/** Before the first paint `/theme.js` does the same. */
function apply(): void {
  const wish = readTheme();
  const light = wish === 'light' || (wish === 'system' && matchMedia(SYSTEM_LIGHT).matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
}

export function setTheme(theme: Theme): void {
  write('theme', theme === 'system' ? null : theme);
  apply();
}

/** Keeps to the system as it changes, and to a choice made in another tab. */
export function followTheme(): () => void {
  const media = matchMedia(SYSTEM_LIGHT);
  const stored = (event: StorageEvent) => event.key === 'theme' && apply();
  media.addEventListener('change', apply);
  addEventListener('storage', stored);
  return () => {
    media.removeEventListener('change', apply);
    removeEventListener('storage', stored);
  };
}
