import type { Metadata } from 'next';
import { History } from '../_features/history';

export const metadata: Metadata = { title: 'History' };

export default function Page() {
  return <History />;
}
