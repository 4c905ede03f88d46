'use client';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import type { Need } from '@/server/contract';
import { type BoardState, settledAt, useBoard } from '../../_client/board-store';
import { elapsed } from '../../_ui/elapsed';
import { Glyph } from '../../_ui/glyph';
import { IconButton } from '../../_ui/icon-button';
import { MenuButton } from '../../_ui/menu-button';
import { PHONE, useMedia } from '../../_ui/use-media';
import { useNow } from '../../_ui/use-now';
import { Waiting } from '../../_ui/waiting';
import { NeedCard } from './need-card';
import { SettledNote } from './settled-note';

const SHOWN_MS = 60_000;

function Request({ need, board, now }: { need: Need; board: BoardState; now: number }) {
  const session = board.sessions.get(need.sessionId);
  if (!session) return null;
  const project = board.projects.get(session.projectId ?? '');
  const branch = board.worktrees.get(session.worktreeId ?? '')?.branch;
  const vendor = board.vendors.find((v) => v.id === session.vendor);
  return (
    <article className="card need" data-card={session.id}>
      <div className="top">
        <Glyph state="needs-you" />
        <Link href={`/session?id=${session.id}`}>{session.name}</Link>
        <span className="st need num">waiting {elapsed(now - need.created)}</span>
      </div>
      <div className="meta">
        <span>{vendor?.short ?? session.vendor}</span>
        <span>{[project?.name, branch].filter(Boolean).join(' · ')}</span>
        <span className="sp">{need.tool}</span>
      </div>
      <NeedCard need={need} session={session} inCard />
    </article>
  );
}

export function Inbox() {
  const board = useBoard();
  const now = useNow();
  const phone = useMedia(PHONE);
  const wanted = useSearchParams().get('id');
  const [chosen, choose] = useState<string | null>(null);
  const all = [...board.needs.values()];
  const open = all.filter((need) => need.state === 'pending').sort((a, b) => a.created - b.created);
  const settled = all
    .filter((need) => need.state !== 'pending' && now - settledAt(need) < SHOWN_MS)
    .sort((a, b) => settledAt(b) - settledAt(a));
  const at = Math.max(
    0,
    open.findIndex((need) => need.id === (chosen ?? wanted)),
  );
  const step = (by: number) => choose(open[(at + by + open.length) % open.length]?.id ?? null);
  const one = phone ? open[at] : undefined;
  return (
    <>
      <header className="bar">
        <MenuButton />
        <h1>Needs you</h1>
        <span className="sp" />
        {one && open.length > 1 ? (
          <IconButton label="Previous" icon={ChevronLeft} onClick={() => step(-1)} />
        ) : null}
        <span className="hint num">
          {one ? `${at + 1} of ${open.length}` : open.length > 0 ? `${open.length} open` : ''}
        </span>
        {one && open.length > 1 ? (
          <IconButton label="Next" icon={ChevronRight} onClick={() => step(1)} />
        ) : null}
      </header>
      {!board.ready ? <Waiting /> : null}
      {board.ready && open.length === 0 ? (
        <div className="empty">
          <h2>Nothing needs you</h2>
          <p>When an agent asks for approval, the whole request stands here and on its card.</p>
          <Link className="btn" href="/">
            Board
          </Link>
        </div>
      ) : null}
      {one ? (
        <section className="one-need" aria-label="Open request">
          <Request key={one.id} need={one} board={board} now={now} />
        </section>
      ) : open.length > 0 ? (
        <section className="section" aria-label="Open requests">
          <div className="grid">
            {open.map((need) => (
              <Request key={need.id} need={need} board={board} now={now} />
            ))}
          </div>
        </section>
      ) : null}
      {settled.length > 0 ? (
        <section className="section" aria-label="Just settled">
          <h2>Just settled</h2>
          {settled.slice(0, one ? 1 : 30).map((need) => (
            <div className="settled-row" key={need.id}>
              <b>{board.sessions.get(need.sessionId)?.name}</b>
              <span className="mono hint">{need.body.split('\n', 1)[0]?.slice(0, 120)}</span>
              <SettledNote need={need} />
            </div>
          ))}
        </section>
      ) : null}
    </>
  );
}
