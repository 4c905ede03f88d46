'use client';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { Popover } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { openNeedsOf, useBoard } from '../../_client/board-store';
import { onKeys } from '../../_client/shortcuts';
import { clockTime, elapsed } from '../../_ui/elapsed';
import { Glyph } from '../../_ui/glyph';
import { stateWords, toneOf } from '../../_ui/state-words';
import { useNow } from '../../_ui/use-now';
import { NeedCard, SettledNote } from '../needs';

const TerminalView = dynamic(() => import('./terminal-view').then((m) => m.TerminalView), {
  ssr: false,
  loading: () => <div className="term" aria-busy="true" />,
});

export function SessionScreen() {
  const id = useSearchParams().get('id');
  const board = useBoard();
  const session = board.sessions.get(id ?? '');
  useEffect(() => {
    if (session?.state === 'finished') void api().sessions.seen.mutate({ id: session.id });
  }, [session?.state, session?.id]);
  useEffect(() => {
    if (session) document.title = `${session.name} · Offdeck`;
  }, [session]);
  if (!board.ready) return <div className="term" aria-busy="true" />;
  if (!session) {
    return (
      <div className="empty">
        <h2>There is no such session</h2>
        <p>It may belong to another state folder.</p>
        <Link className="btn" href="/">
          Board
        </Link>
      </div>
    );
  }
  return <Open key={session.id} session={session} />;
}

function Why({ session }: { session: Session }) {
  const now = useNow();
  return (
    <Popover.Portal>
      <Popover.Content className="why-pop" align="end" sideOffset={6}>
        <b>Why this state</b>
        {session.reason ? <p>{session.reason}</p> : null}
        <ul>
          {session.evidence.map((vote) => (
            <li key={vote.source}>
              {vote.source}: {vote.detail}{' '}
              <span className="hint">
                ({vote.state}, {elapsed(now - vote.at)} ago)
              </span>
            </li>
          ))}
          {session.evidence.length === 0 ? <li>No signal yet.</li> : null}
        </ul>
      </Popover.Content>
    </Popover.Portal>
  );
}

function Open({ session }: { session: Session }) {
  const board = useBoard();
  const now = useNow();
  const [problem, setProblem] = useState<string | null>(null);
  const [sure, setSure] = useState<'interrupt' | 'end' | null>(null);
  const [busy, setBusy] = useState(false);
  const needs = openNeedsOf(board, session.id);
  const settled = [...board.needs.values()]
    .filter(
      (need) =>
        need.sessionId === session.id && need.state !== 'pending' && now - (need.settled ?? now) < 20_000,
    )
    .at(-1);
  const project = board.projects.get(session.projectId ?? '');
  const worktree = board.worktrees.get(session.worktreeId ?? '');
  const vendor = board.vendors.find((v) => v.id === session.vendor);
  const tone = toneOf(session, needs);

  const act = async (what: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await what();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
      setSure(null);
    }
  };
  useEffect(() => onKeys({ 'mod+.': () => setSure('interrupt') }), []);
  useEffect(() => {
    if (!sure) return;
    const timer = setTimeout(() => setSure(null), 5_000);
    return () => clearTimeout(timer);
  }, [sure]);

  const running = session.state !== 'exited';
  return (
    <div className="session">
      <header className="bar">
        <Link className="sub wide-only" href="/">
          Board /
        </Link>
        <Link className="phone-only" href="/" aria-label="Back to the board">
          ‹
        </Link>
        <input
          className="name"
          aria-label="Name of the session"
          defaultValue={session.name}
          key={session.name}
          maxLength={80}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur();
            if (event.key === 'Escape') {
              event.currentTarget.value = session.name;
              event.currentTarget.blur();
            }
          }}
          onBlur={(event) => {
            const name = event.currentTarget.value.trim();
            if (name && name !== session.name)
              void act(() => api().sessions.rename.mutate({ id: session.id, name }));
            else event.currentTarget.value = session.name;
          }}
        />
        <span className="sub" title={session.cwd}>
          {[
            vendor?.short ?? (session.kind === 'terminal' ? 'Terminal' : session.vendor),
            project?.name,
            worktree?.branch ? `${worktree.branch}${worktree.base ? ` ← ${worktree.base}` : ''}` : null,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <span className="sp" />
        <Popover.Root>
          <Popover.Trigger className={`st num ${tone}`} aria-label="Why this state">
            <Glyph state={tone === 'need' ? 'needs-you' : session.state} />
            {stateWords(session, needs, now)}
          </Popover.Trigger>
          <Why session={session} />
        </Popover.Root>
        {running && session.kind === 'agent' && ['working', 'waiting'].includes(session.state) ? (
          <button
            type="button"
            className="btn"
            disabled={busy}
            onClick={() =>
              sure === 'interrupt'
                ? void act(() => api().sessions.interrupt.mutate({ id: session.id }))
                : setSure('interrupt')
            }
          >
            {sure === 'interrupt' ? 'Really interrupt?' : 'Interrupt'}
          </button>
        ) : null}
        {running ? (
          <button
            type="button"
            className="btn ghost"
            disabled={busy}
            onClick={() =>
              sure === 'end' ? void act(() => api().sessions.end.mutate({ id: session.id })) : setSure('end')
            }
          >
            {sure === 'end' ? 'End it now?' : 'End'}
          </button>
        ) : session.resumable ? (
          <button
            type="button"
            className="btn pri"
            disabled={busy}
            onClick={() => void act(() => api().sessions.resume.mutate({ id: session.id }))}
          >
            Resume
          </button>
        ) : null}
      </header>
      {problem ? (
        <p className="note problem" role="alert">
          {problem}
        </p>
      ) : null}
      {!running ? (
        <p className="note">
          {session.reason} {session.ended ? clockTime(session.ended) : ''}
        </p>
      ) : null}
      {needs[0] ? (
        <article className="card need" style={{ margin: '12px 16px 0' }}>
          <NeedCard need={needs[0]} session={session} />
        </article>
      ) : settled ? (
        <SettledNote need={settled} />
      ) : null}
      {session.pane ? <TerminalView session={session} /> : <p className="note">Its terminal is gone.</p>}
    </div>
  );
}
