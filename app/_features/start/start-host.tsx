'use client';
import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';

const StartDialog = dynamic(() => import('./start-dialog').then((m) => m.StartDialog), { ssr: false });

const EVENT = 'offdeck-start';
/** Opens the new-session dialog from anywhere. */
export const openStart = (): void => void dispatchEvent(new Event(EVENT));

export function StartHost() {
  const [open, setOpen] = useState(false);
  const [ever, setEver] = useState(false);
  useEffect(() => {
    const show = () => {
      setOpen(true);
      setEver(true);
    };
    addEventListener(EVENT, show);
    return () => removeEventListener(EVENT, show);
  }, []);
  // Kept once loaded: what was typed stays when it is closed by Esc.
  return ever ? <StartDialog open={open} onClose={() => setOpen(false)} /> : null;
}
