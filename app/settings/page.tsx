import type { Metadata } from 'next';
import { Settings } from '../_features/settings';

export const metadata: Metadata = { title: 'Settings' };

export default function Page() {
  return <Settings />;
}
