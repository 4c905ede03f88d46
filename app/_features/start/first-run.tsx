'use client';
import dynamic from 'next/dynamic';

/** The checklist of the first run, loaded only where it is shown. */
export const FirstRun = dynamic(() => import('./preflight').then((m) => m.Preflight), {
  ssr: false,
  loading: () => <div className="panel skeleton" aria-busy="true" />,
});
