'use client';
import './session.css';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import type { Session } from '@/server/contract';
import { api } from '../../_client/api';
import { openNeedsOf, settledLately, useBoard } from '../../_client/board-store';
import { clockTime } from '../../_ui/elapsed';
import { MenuButton } from '../../_ui/menu-button';
import { useNow } from '../../_ui/use-now';
import { Waiting } from '../../_ui/waiting';
import { NeedCard, SettledNote } from '../needs';
import { Faces, useFace } from './faces';
import { SessionHeader } from './session-header';

const TerminalView = dynamic(() => import('./terminal-view').then((m) => m.TerminalView), {
  ssr: false,
  loading: () => <div className="term" aria-busy="true" />,
});

const ChatView = dynamic(() => import('../chat').then((m) => m.ChatView), {
  ssr: false,
  loading: () => <div className="chat" aria-busy="true" />,
});

const Composer = dynamic(() => import('../composer').then((m) => m.Composer), { ssr: false });

export function SessionScreen() {
  const id = useSearchParams().get('id');
  const board = useBoard();
  const session = board.sessions.get(id ?? '');
  useEffect(() => {
    // Looked at: no longer news. A call that is lost is made again with the next look.
    if (session?.state === 'finished')
      void api()
        .sessions.seen.mutate({ id: session.id })
        .catch(() => {});
  }, [session?.state, session?.id]);
  useEffect(() => {
    if (session) document.title = `${session.name} · Offdeck`;
  }, [session]);
  if (!board.ready || !session) {
    return (
      <>
        <header className="bar">
          <MenuButton />
          <Link className="sub" href="/">
            Board
          </Link>
        </header>
        {!board.ready ? (
          <Waiting />
        ) : (
          <div className="empty">
            <h2>There is no such session</h2>
            <p>The link may belong to another host, or to another state folder of this one.</p>
            <Link className="btn" href="/">
              Board
            </Link>
          </div>
        )}
      </>
    );
  }
  return <Open key={session.id} session={session} />;
}

function Open({ session }: { session: Session }) {
  const board = useBoard();
  const now = useNow();
  const needs = openNeedsOf(board, session.id);
  const settled = settledLately(board, session.id, now);
  const running = session.state !== 'exited';
  const asks = needs.length > 0 || session.state === 'needs-you';
  const [face, setFace] = useFace(session);
  return (
    <div className="session">
      <SessionHeader
        session={session}
        needs={needs}
        faces={session.kind === 'agent' ? <Faces face={face} onFace={setFace} /> : null}
      />
      {needs[0] ? (
        <article className="card need asks">
          {needs.length > 1 ? <p className="note num">1 of {needs.length}</p> : null}
          <NeedCard need={needs[0]} session={session} />
        </article>
      ) : null}
      {!needs[0] && settled ? <SettledNote need={settled} /> : null}
      {session.promptKept && session.prompt && running ? (
        <p className="note">First message kept; the agent has not taken it yet.</p>
      ) : null}
      {!running ? (
        <p className="note">
          {[
            session.reason,
            session.exitCode === null ? null : `Exit code ${session.exitCode}.`,
            session.ended ? clockTime(session.ended) : null,
          ]
            .filter(Boolean)
            .join(' ')}
        </p>
      ) : null}
      <div className={`faces ${face}`}>
        {face === 'terminal' ? null : <ChatView session={session} />}
        {face === 'chat' ? null : (
          <div className="term-area">
            <Terminal session={session} asks={asks} />
          </div>
        )}
      </div>
      {face === 'terminal' ? null : <Composer session={session} asks={asks} />}
    </div>
  );
}

function Terminal({ session, asks }: { session: Session; asks: boolean }) {
  return session.pane ? (
    <TerminalView session={session} blocked={asks ? 'Answer the request first.' : null} />
  ) : (
    <div className="empty">
      <h2>Its terminal is gone</h2>
      <p>
        {session.resumable
          ? 'The conversation is kept by the agent. Resume it to go on.'
          : 'Nothing of it can be resumed. Its worktree and branch are still there.'}
      </p>
    </div>
  );
}
