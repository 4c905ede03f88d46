import type { Metadata } from 'next';
import { Suspense } from 'react';
import { SessionScreen } from '../_features/session';

export const metadata: Metadata = { title: 'Session' };

export default function Page() {
  return (
    <Suspense>
      <SessionScreen />
    </Suspense>
  );
}
