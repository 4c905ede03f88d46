import type { Metadata } from 'next';
import { Inbox } from '../_features/needs';

export const metadata: Metadata = { title: 'Needs you' };

export default function Page() {
  return <Inbox />;
}
