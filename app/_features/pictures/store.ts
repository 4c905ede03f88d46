import { useEffect, useState } from 'react';
import type { ImageBytes } from '@/server/contract';
import { problemText } from '../../_client/api';

/** How many are kept ready; a long conversation must not hold all it ever showed. */
const KEPT = 40;
const urls = new Map<string, string>();

const keep = (key: string, url: string): string => {
  urls.set(key, url);
  for (const [old, oldUrl] of urls) {
    if (urls.size <= KEPT) break;
    urls.delete(old);
    URL.revokeObjectURL(oldUrl);
  }
  return url;
};

/** A picture this device already has need not be fetched. */
export const keepPicture = (key: string, blob: Blob): string =>
  urls.get(key) ?? keep(key, URL.createObjectURL(blob));

const blobOf = ({ type, data }: ImageBytes): Blob =>
  new Blob([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], { type });

/** Its address in this page, once it is here. `load` is asked only for a picture that is not. */
export function usePicture(key: string, load: () => Promise<ImageBytes>) {
  const [found, setFound] = useState<{ key: string; url?: string; problem?: string } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names the picture; `load` is another function at every paint.
  useEffect(() => {
    let gone = false;
    const known = urls.get(key);
    if (known) {
      // Used again: the last to go.
      urls.delete(key);
      urls.set(key, known);
      setFound({ key, url: known });
      return;
    }
    load()
      .then((image) => {
        const url = urls.get(key) ?? keep(key, URL.createObjectURL(blobOf(image)));
        if (!gone) setFound({ key, url });
      })
      .catch((error: unknown) => {
        if (!gone) setFound({ key, problem: problemText(error) });
      });
    return () => {
      gone = true;
    };
  }, [key]);
  return found?.key === key ? found : null;
}
