import type { Metadata } from 'next';
import { Suspense } from 'react';
import { Inbox } from '../_features/needs';

export const metadata: Metadata = { title: 'Needs you' };

export default function Page() {
  return (
    <Suspense>
      <Inbox />
    </Suspense>
  );
}
