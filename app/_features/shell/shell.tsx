'use client';
import { QueryClientProvider } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { queryClient } from '../../_client/api';
import { followBoard, useBoard } from '../../_client/board-store';
import { readIdentity } from '../../_client/device-key';
import { enrol, takeCode } from '../../_client/enrol';
import { listenForRefusal } from '../../_client/proven-socket';
import { onKeys } from '../../_client/shortcuts';
import { giveStylesTheirNonce } from '../../_client/style-nonce';
import { clockTime } from '../../_ui/elapsed';
import { openStart, StartHost } from '../start';
import { Bottom, Sidebar } from './sidebar';
import { SignedOut } from './signed-out';

const Palette = dynamic(() => import('./palette').then((m) => m.Palette), { ssr: false });
const Help = dynamic(() => import('./help').then((m) => m.Help), { ssr: false });

type Gate = { at: 'looking' } | { at: 'in' } | { at: 'out'; why: string };

const REFUSED = {
  'no-device': 'This browser is not paired with this host.',
  refused: 'The host does not know this browser any more.',
  revoked: 'This browser was removed from the host.',
  protocol: 'This page is older than the host. Reload it.',
} as const;

export function Shell({ children }: { children: ReactNode }) {
  const [gate, setGate] = useState<Gate>({ at: 'looking' });
  useEffect(() => {
    giveStylesTheirNonce();
    listenForRefusal((why) => setGate({ at: 'out', why: REFUSED[why] }));
    void (async () => {
      try {
        const code = takeCode();
        if (code) await enrol(code);
        if (!(await readIdentity())) {
          setGate({ at: 'out', why: REFUSED['no-device'] });
          return;
        }
        followBoard();
        setGate({ at: 'in' });
      } catch (error) {
        setGate({ at: 'out', why: error instanceof Error ? error.message : 'The host refused.' });
      }
    })();
  }, []);
  return (
    <QueryClientProvider client={queryClient}>
      {gate.at === 'out' ? <SignedOut why={gate.why} /> : <Frame>{gate.at === 'in' ? children : null}</Frame>}
    </QueryClientProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const board = useBoard();
  const router = useRouter();
  const path = usePathname();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const [full, setFull] = useState(false);
  useEffect(
    () =>
      onKeys({
        'mod+k': () => setPalette(true),
        n: openStart,
        'g b': () => router.push('/'),
        'g i': () => router.push('/needs'),
        'g s': () => router.push('/settings'),
        f: () => setFull((now) => !now && location.pathname.startsWith('/session')),
        '?': () => setHelp(true),
        escape: () => {
          if (location.pathname.startsWith('/session')) router.push('/');
        },
      }),
    [router],
  );
  useEffect(() => {
    if (!path.startsWith('/session')) setFull(false);
  }, [path]);
  const waiting = [...board.needs.values()].filter((need) => need.state === 'pending').length;
  useEffect(() => {
    const base = document.title.replace(/^\(\d+\) /, '');
    document.title = waiting > 0 ? `(${waiting}) ${base}` : base;
  });
  return (
    <div className={`app ${full ? 'full' : ''} ${path.startsWith('/session') ? 'in-session' : ''}`}>
      <Sidebar waiting={waiting} />
      <main className="main">
        {board.ready && board.line === 'offline' ? (
          <output className="strip">Showing {clockTime(board.heard)}; reconnecting to the host …</output>
        ) : null}
        {children}
      </main>
      <Bottom waiting={waiting} />
      <StartHost />
      {palette ? <Palette onClose={() => setPalette(false)} /> : null}
      {help ? <Help onClose={() => setHelp(false)} /> : null}
    </div>
  );
}
