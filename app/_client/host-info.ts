import { useEffect, useState } from 'react';
import type { HostInfo } from '@/server/api/services';
import { api } from './api';

let known: HostInfo | null = null;

/** Name and version of the host, asked once a page; null until it has answered. */
export function useHostInfo(ready: boolean): HostInfo | null {
  const [info, setInfo] = useState(known);
  useEffect(() => {
    if (!ready || known) return;
    let gone = false;
    void api()
      .host.info.query()
      .then((answer) => {
        known = answer;
        if (!gone) setInfo(answer);
      })
      .catch(() => {}); // the name is a nicety; the strip says when the host is away
    return () => {
      gone = true;
    };
  }, [ready]);
  return info;
}
