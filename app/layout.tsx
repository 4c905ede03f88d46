import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './globals.css';
import type { ReactNode } from 'react';
import { Shell } from './_features/shell';

export { metadata, viewport } from './head-data';

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // The host replaces the placeholder for each answer; run-time style sheets carry that nonce.
    <html lang="en" data-style-nonce="__OFFDECK_NONCE__" suppressHydrationWarning>
      <head>
        <script src="/theme.js" />
      </head>
      <body>
        <Shell>{children}</Shell>
      </body>
    </html>
  );
}
