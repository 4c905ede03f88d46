'use client';
import './history.css';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import type { Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { type BoardState, useBoard } from '../../_client/board-store';
import { toast } from '../../_ui/asks';
import { MenuButton } from '../../_ui/menu-button';
import { Waiting } from '../../_ui/waiting';
import { archive } from './archive';

const PAGE = 100;

const when = (at: number): string =>
  new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short', hour12: false });

const branchOf = (board: BoardState, session: Session): string =>
  board.worktrees.get(session.worktreeId ?? '')?.branch ?? '';
const projectOf = (board: BoardState, session: Session): string =>
  board.projects.get(session.projectId ?? '')?.name ?? '';

function Row({ session, board }: { session: Session; board: BoardState }) {
  const [busy, setBusy] = useState(false);
  const resume = async () => {
    setBusy(true);
    try {
      await api().sessions.resume.mutate({ id: session.id });
      toast(`Resumed “${session.name}”.`);
    } catch (error) {
      toast(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  const vendor = board.vendors.find((one) => one.id === session.vendor);
  return (
    <li className="past">
      <div>
        <Link href={`/session?id=${session.id}`}>{session.name}</Link>
        <p className="hint">
          {[
            vendor?.short ?? (session.kind === 'terminal' ? 'Terminal' : session.vendor),
            projectOf(board, session),
            branchOf(board, session),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {session.recap ? <p className="recap">{session.recap}</p> : null}
      </div>
      <div className="hint num">
        {session.ended ? when(session.ended) : ''}
        <br />
        {session.reason}
      </div>
      <div className="acts">
        {session.resumable ? (
          <button type="button" className="btn" disabled={busy} onClick={() => void resume()}>
            {busy ? 'Resuming …' : 'Resume'}
          </button>
        ) : null}
        <button type="button" className="btn ghost" onClick={() => archive(session, !session.archived)}>
          {session.archived ? 'Put back' : 'Archive'}
        </button>
      </div>
    </li>
  );
}

export function History() {
  const board = useBoard();
  const [find, setFind] = useState('');
  const [more, setMore] = useState(1);
  const ended = useMemo(() => {
    const wanted = find.trim().toLowerCase();
    return [...board.sessions.values()]
      .filter((session) => session.state === 'exited')
      .filter((session) =>
        [
          session.name,
          session.prompt,
          session.recap ?? '',
          projectOf(board, session),
          branchOf(board, session),
        ]
          .join(' ')
          .toLowerCase()
          .includes(wanted),
      )
      .sort((a, b) => (b.ended ?? 0) - (a.ended ?? 0));
  }, [board, find]);
  return (
    <>
      <header className="bar">
        <MenuButton />
        <h1>History</h1>
        <span className="sp" />
        <input
          className="in"
          type="search"
          aria-label="Find an ended session"
          placeholder="Name, words, branch"
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      </header>
      {!board.ready ? (
        <Waiting />
      ) : ended.length === 0 ? (
        <div className="empty">
          <h2>{find ? 'No ended session has these words' : 'Nothing has ended yet'}</h2>
          <p>Sessions that ended are kept here, with their conversations, also when they left the board.</p>
        </div>
      ) : (
        <section className="section" aria-label="Ended sessions">
          <ul className="pasts">
            {ended.slice(0, more * PAGE).map((session) => (
              <Row key={session.id} session={session} board={board} />
            ))}
          </ul>
          {ended.length > more * PAGE ? (
            <button type="button" className="btn more" onClick={() => setMore(more + 1)}>
              Show {Math.min(PAGE, ended.length - more * PAGE)} more of {ended.length}
            </button>
          ) : null}
        </section>
      )}
    </>
  );
}
