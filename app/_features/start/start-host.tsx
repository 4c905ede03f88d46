'use client';
import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import { onAsk } from '../../_ui/asks';

const StartDialog = dynamic(() => import('./start-dialog').then((m) => m.StartDialog), { ssr: false });

/** Where the new-session dialog opens, from anywhere, by `ask('start')`. */
export function StartHost() {
  const [open, setOpen] = useState(false);
  const [ever, setEver] = useState(false);
  useEffect(
    () =>
      onAsk('start', () => {
        setOpen(true);
        setEver(true);
      }),
    [],
  );
  // Kept once loaded: what was typed stays when it is closed by Esc.
  return ever ? <StartDialog open={open} onClose={() => setOpen(false)} /> : null;
}
