'use client';
import { useEffect, useState } from 'react';
import { onAsk, type Toast } from '../../_ui/asks';

type Sonner = typeof import('sonner');

/** Shows results of the person's own acts. The part that draws them is loaded with the first one. */
export function ToastHost() {
  const [sonner, setSonner] = useState<Sonner | null>(null);
  const [first, setFirst] = useState<Toast | null>(null);
  useEffect(
    () =>
      onAsk('toast', (toast) => {
        if (!toast) return;
        void import('sonner').then((loaded) => {
          setSonner(loaded);
          setFirst(toast);
        });
      }),
    [],
  );
  useEffect(() => {
    if (!sonner || !first) return;
    sonner.toast(
      first.text,
      first.act ? { action: { label: first.act.label, onClick: first.act.run } } : undefined,
    );
  }, [sonner, first]);
  return sonner ? (
    <sonner.Toaster
      position="bottom-right"
      theme={document.documentElement.dataset.theme === 'light' ? 'light' : 'dark'}
      duration={5_000}
    />
  ) : null;
}
