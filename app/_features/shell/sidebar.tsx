'use client';
import { useQuery } from '@tanstack/react-query';
import { CircleDot, LayoutGrid, Settings2 } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { Session } from '@/server/contract';
import { api } from '../../_client/api';
import { type BoardState, openNeedsOf, useBoard } from '../../_client/board-store';
import { elapsed } from '../../_ui/elapsed';
import { Glyph } from '../../_ui/glyph';
import { toneOf } from '../../_ui/state-words';
import { useNow } from '../../_ui/use-now';

const LINKS = [
  { href: '/needs', label: 'Needs you', Icon: CircleDot, keys: 'G I' },
  { href: '/', label: 'Board', Icon: LayoutGrid, keys: 'G B' },
  { href: '/settings', label: 'Settings', Icon: Settings2, keys: 'G S' },
] as const;

function Row({ session, board, now }: { session: Session; board: BoardState; now: number }) {
  const needs = openNeedsOf(board, session.id);
  const tone = toneOf(session, needs);
  const since = needs[0]?.created ?? session.since;
  return (
    <Link className={`row ${tone}`} href={`/session?id=${session.id}`} title={session.name}>
      <Glyph state={tone === 'need' ? 'needs-you' : session.state} />
      <b>{session.name}</b>
      <time className="num">
        {session.state === 'exited' ? (session.resumable ? 'resumable' : 'ended') : elapsed(now - since)}
      </time>
    </Link>
  );
}

/** Meters per vendor from what its sessions last reported; the newest report counts. */
function Meters({ board, now }: { board: BoardState; now: number }) {
  const newest = new Map<string, Session>();
  for (const session of board.sessions.values()) {
    const before = newest.get(session.vendor);
    if (session.quota && session.quota.at > (before?.quota?.at ?? 0)) newest.set(session.vendor, session);
  }
  if (newest.size === 0) return null;
  return (
    <div className="usage">
      {[...newest.values()].map(({ vendor, quota }) => (
        <div className="acc" key={vendor}>
          <span>{board.vendors.find((v) => v.id === vendor)?.short ?? vendor}</span>
          <small className="num">
            {Math.round(quota?.windows[0]?.usedPct ?? 0)} %
            {quota?.windows[0]?.resetsAt ? ` · ${elapsed(quota.windows[0].resetsAt - now)}` : ''}
          </small>
          <div className="meters">
            {quota?.windows.map((window) => (
              <span
                key={window.label}
                className={`meter ${window.usedPct >= 90 ? 'hot' : ''}`}
                title={`${window.label}: ${Math.round(window.usedPct)} %`}
              >
                <i style={{ width: `${Math.min(100, window.usedPct)}%` }} />
              </span>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

export function Sidebar({ waiting }: { waiting: number }) {
  const board = useBoard();
  const now = useNow();
  const path = usePathname();
  const info = useQuery({ queryKey: ['info'], queryFn: () => api().host.info.query(), enabled: board.ready });
  const byProject = [...board.projects.values()].map((project) => ({
    project,
    sessions: [...board.sessions.values()]
      .filter((session) => session.projectId === project.id)
      .sort((a, b) => a.created - b.created),
  }));
  return (
    <aside className="sidebar" aria-label="Sessions">
      <div className="brand">
        <i />
        Offdeck
        <span className="host" title={board.line === 'live' ? 'Connected' : 'Not connected'}>
          <span className={`dot ${board.line === 'live' ? '' : 'off'}`} />
          <span>{info.data?.hostName ?? ''}</span>
        </span>
      </div>
      <nav className="nav" aria-label="Main">
        {LINKS.map(({ href, label, Icon, keys }) => (
          <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
            <Icon aria-hidden="true" />
            {label}
            {href === '/needs' && waiting > 0 ? (
              <span className="badge num">{waiting}</span>
            ) : (
              <kbd>{keys}</kbd>
            )}
          </Link>
        ))}
      </nav>
      {byProject.map(({ project, sessions }) =>
        sessions.length === 0 ? null : (
          <div key={project.id}>
            <div className="proj">
              {project.name}
              <span>{project.branch}</span>
            </div>
            {sessions.map((session) => (
              <Row key={session.id} session={session} board={board} now={now} />
            ))}
          </div>
        ),
      )}
      <Meters board={board} now={now} />
    </aside>
  );
}

export function Bottom({ waiting }: { waiting: number }) {
  const path = usePathname();
  return (
    <nav className="bottom" aria-label="Main, phone">
      {LINKS.map(({ href, label, Icon }) => (
        <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
          <Icon aria-hidden="true" />
          {href === '/settings' ? 'More' : label}
          {href === '/needs' && waiting > 0 ? <span className="badge num">{waiting}</span> : null}
        </Link>
      ))}
    </nav>
  );
}
