import type { Metadata, Viewport } from 'next';

/** Everything the document head says, in one place. */
const SUPPORTED = 'Claude Code, Codex and any terminal';
const description = `See and steer coding agents on your own machine: ${SUPPORTED}.`;

export const metadata: Metadata = {
  title: { default: 'Offdeck', template: '%s · Offdeck' },
  description,
  applicationName: 'Offdeck',
  manifest: '/manifest.webmanifest',
  icons: { icon: '/icon.svg', apple: '/icon-apple-180.png' },
  openGraph: { title: 'Offdeck', description, type: 'website' },
  referrer: 'no-referrer',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  interactiveWidget: 'resizes-content',
  themeColor: [
    { media: '(prefers-color-scheme: dark)', color: '#0e1012' },
    { media: '(prefers-color-scheme: light)', color: '#f6f7f8' },
  ],
};
