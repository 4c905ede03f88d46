import { useSyncExternalStore } from 'react';

/** Whether a media query holds now; false while the page is made ahead without a browser. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
    () => false,
  );
}

export const PHONE = '(max-width: 767px)';
