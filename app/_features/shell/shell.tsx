'use client';
import dynamic from 'next/dynamic';
import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { useBoard } from '../../_client/board-store';
import { onKeys } from '../../_client/shortcuts';
import { giveStylesTheirNonce } from '../../_client/style-nonce';
import { followTheme } from '../../_client/theme';
import { ask, onAsk } from '../../_ui/asks';
import { clockTime } from '../../_ui/elapsed';
import { StartHost } from '../start';
import { Announcer } from './announcer';
import { useGate } from './gate';
import { Bottom, Sidebar } from './sidebar';
import { SignedOut } from './signed-out';
import { ToastHost } from './toast-host';

const Palette = dynamic(() => import('./palette').then((m) => m.Palette), { ssr: false });
const Help = dynamic(() => import('./help').then((m) => m.Help), { ssr: false });

export function Shell({ children }: { children: ReactNode }) {
  const gate = useGate();
  useEffect(() => {
    giveStylesTheirNonce();
    return followTheme();
  }, []);
  return gate.at === 'out' ? (
    <SignedOut why={gate.why} reload={gate.reload} />
  ) : (
    <Frame>{gate.at === 'in' ? children : null}</Frame>
  );
}

const inSession = () => location.pathname.startsWith('/session');

function Frame({ children }: { children: ReactNode }) {
  const board = useBoard();
  const router = useRouter();
  const path = usePathname();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const [full, setFull] = useState(false);
  const [menu, setMenu] = useState(false);
  useEffect(() => {
    const toggleFull = () => setFull((now) => !now && inSession());
    const ends = [
      onAsk('menu', () => setMenu(true)),
      onAsk('palette', () => setPalette(true)),
      onAsk('help', () => setHelp(true)),
      onAsk('full', toggleFull),
      onKeys({
        'mod+k': () => setPalette(true),
        n: () => ask('start'),
        'g b': () => router.push('/'),
        'g i': () => router.push('/needs'),
        'g h': () => router.push('/history'),
        'g s': () => router.push('/settings'),
        f: toggleFull,
        '?': () => setHelp(true),
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [router]);
  // One step back at a time: out of the drawer, out of the full window, out of the session.
  useEffect(
    () =>
      onKeys({
        escape: () => {
          if (menu) setMenu(false);
          else if (full) setFull(false);
          else if (inSession()) router.push('/');
        },
      }),
    [menu, full, router],
  );
  useEffect(() => {
    setMenu(false);
    if (!path.startsWith('/session')) setFull(false);
  }, [path]);
  const waiting = [...board.needs.values()].filter((need) => need.state === 'pending').length;
  useEffect(() => {
    const base = document.title.replace(/^\(\d+\) /, '');
    const title = waiting > 0 ? `(${waiting}) ${base}` : base;
    if (document.title !== title) document.title = title;
  });
  const classes = ['app', full ? 'full' : '', path.startsWith('/session') ? 'in-session' : ''];
  return (
    <div className={classes.filter(Boolean).join(' ')}>
      <Sidebar waiting={waiting} open={menu} onClose={() => setMenu(false)} />
      <main className="main">
        {board.ready && board.line === 'offline' ? (
          <output className="strip">Showing {clockTime(board.heard)}; reconnecting to the host …</output>
        ) : null}
        {children}
      </main>
      <Bottom waiting={waiting} />
      <StartHost />
      <ToastHost />
      <Announcer />
      {palette ? <Palette onClose={() => setPalette(false)} /> : null}
      {help ? <Help onClose={() => setHelp(false)} /> : null}
    </div>
  );
}
