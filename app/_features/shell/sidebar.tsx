'use client';
import { ChevronDown, ChevronRight, CircleDot, Ellipsis, History, LayoutGrid, Settings2 } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { Project, Session } from '@/server/contract';
import { type BoardState, openNeedsOf, useBoard } from '../../_client/board-store';
import { useHostInfo } from '../../_client/host-info';
import { clockTime, elapsed } from '../../_ui/elapsed';
import { Glyph } from '../../_ui/glyph';
import { toneOf } from '../../_ui/state-words';
import { useMedia } from '../../_ui/use-media';
import { useNow } from '../../_ui/use-now';

const LINKS = [
  { href: '/needs', label: 'Needs you', Icon: CircleDot, keys: 'G I' },
  { href: '/', label: 'Board', Icon: LayoutGrid, keys: 'G B' },
  { href: '/history', label: 'History', Icon: History, keys: 'G H' },
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
      {[...newest.values()].map(({ vendor, quota }) => {
        if (!quota) return null;
        const label = board.vendors.find((v) => v.id === vendor)?.short ?? vendor;
        const [first] = quota.windows;
        return (
          <div className="acc" key={vendor} title={`${quota.source}, ${elapsed(now - quota.at)} ago`}>
            <span>{label}</span>
            <small className="num">
              {first ? `${Math.round(first.usedPct)} %` : 'unknown'}
              {first?.resetsAt && first.resetsAt > now ? ` · ${elapsed(first.resetsAt - now)}` : ''}
            </small>
            <div className="meters">
              {quota.windows.map((window) => {
                const used = Math.round(window.usedPct);
                const resets = window.resetsAt ? `, resets ${clockTime(window.resetsAt)}` : '';
                return (
                  <span
                    key={window.label}
                    className={`meter ${used >= 90 ? 'hot' : ''}`}
                    role="progressbar"
                    aria-label={`${label}, ${window.label}`}
                    aria-valuemin={0}
                    aria-valuemax={100}
                    aria-valuenow={Math.min(100, used)}
                    aria-valuetext={`${used} % used${resets}`}
                    title={`${window.label}: ${used} %${resets}`}
                  >
                    <i style={{ width: `${Math.min(100, used)}%` }} />
                  </span>
                );
              })}
            </div>
          </div>
        );
      })}
    </div>
  );
}

function ProjectRows(props: { project: Project; sessions: Session[]; board: BoardState; now: number }) {
  const { project, sessions, board, now } = props;
  const [folded, setFolded] = useState(false);
  if (sessions.length === 0) return null;
  const Fold = folded ? ChevronRight : ChevronDown;
  return (
    <div>
      <button
        type="button"
        className="proj"
        aria-expanded={!folded}
        title={project.path}
        onClick={() => setFolded(!folded)}
      >
        {project.name}
        <Fold aria-hidden="true" />
        <span>{folded ? sessions.length : project.branch}</span>
      </button>
      {folded
        ? null
        : sessions.map((session) => <Row key={session.id} session={session} board={board} now={now} />)}
    </div>
  );
}

const LINE = {
  live: 'Connected',
  dialling: 'Connecting',
  'catching-up': 'Catching up',
  offline: 'Not connected',
} as const;

export function Sidebar(props: { waiting: number; open: boolean; onClose: () => void }) {
  const { waiting, open, onClose } = props;
  const board = useBoard();
  const now = useNow();
  const path = usePathname();
  const info = useHostInfo(board.ready);
  const drawer = useMedia('(max-width: 1279px)');
  const aside = useRef<HTMLElement>(null);
  useEffect(() => {
    if (drawer && open) aside.current?.querySelector('a')?.focus();
  }, [drawer, open]);
  const byProject = [...board.projects.values()].map((project) => ({
    project,
    sessions: [...board.sessions.values()]
      .filter((session) => session.projectId === project.id && !session.archived)
      .sort((a, b) => a.created - b.created),
  }));
  return (
    <>
      {drawer && open ? (
        <button type="button" className="overlay" aria-label="Close the list of sessions" onClick={onClose} />
      ) : null}
      <aside
        ref={aside}
        className={`sidebar ${open ? 'open' : ''}`}
        aria-label="Sessions"
        inert={drawer && !open}
        onClickCapture={(event) => {
          if (drawer && event.target instanceof Element && event.target.closest('a')) onClose();
        }}
      >
        <div className="brand">
          <i />
          Offdeck
          <span className="host" title={LINE[board.line]}>
            <span className={`dot ${board.line}`} />
            <span className="sr-only">{LINE[board.line]}</span>
            <span>{info?.hostName ?? ''}</span>
          </span>
        </div>
        <nav className="nav" aria-label="Main">
          {LINKS.map(({ href, label, Icon, keys }) => (
            <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
              {href === '/needs' && waiting > 0 ? <Glyph state="needs-you" /> : <Icon aria-hidden="true" />}
              {label}
              {href === '/needs' && waiting > 0 ? (
                <span className="badge num">{waiting}</span>
              ) : (
                <kbd>{keys}</kbd>
              )}
            </Link>
          ))}
        </nav>
        {byProject.map(({ project, sessions }) => (
          <ProjectRows key={project.id} project={project} sessions={sessions} board={board} now={now} />
        ))}
        <Meters board={board} now={now} />
      </aside>
    </>
  );
}

export function Bottom({ waiting }: { waiting: number }) {
  const path = usePathname();
  return (
    <nav className="bottom" aria-label="Main, phone">
      {LINKS.map(({ href, label, Icon }) => {
        const Shown = href === '/settings' ? Ellipsis : Icon;
        return (
          <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
            <Shown aria-hidden="true" />
            {href === '/settings' ? 'More' : label}
            {href === '/needs' && waiting > 0 ? <span className="badge num">{waiting}</span> : null}
          </Link>
        );
      })}
    </nav>
  );
}
