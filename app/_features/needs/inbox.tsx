'use client';
import Link from 'next/link';
import { useBoard } from '../../_client/board-store';
import { elapsed } from '../../_ui/elapsed';
import { Glyph } from '../../_ui/glyph';
import { useNow } from '../../_ui/use-now';
import { NeedCard, SettledNote } from './need-card';

export function Inbox() {
  const board = useBoard();
  const now = useNow();
  const all = [...board.needs.values()].sort((a, b) => a.created - b.created);
  const open = all.filter((need) => need.state === 'pending');
  const settled = all.filter((need) => need.state !== 'pending' && now - (need.settled ?? now) < 60_000);
  return (
    <>
      <header className="bar">
        <h1>Needs you</h1>
        <span className="sp hint num">{open.length > 0 ? `${open.length} open` : ''}</span>
      </header>
      {open.length === 0 ? (
        <div className="empty">
          <h2>Nothing needs you</h2>
          <p>When an agent asks for approval, the whole request stands here, and on its card.</p>
        </div>
      ) : null}
      <section className="section" aria-label="Open requests">
        <div className="grid">
          {open.map((need, i) => {
            const session = board.sessions.get(need.sessionId);
            if (!session) return null;
            return (
              <article className="card need" key={need.id} data-card={session.id}>
                <div className="top">
                  <Glyph state="needs-you" />
                  <Link href={`/session?id=${session.id}`}>{session.name}</Link>
                  <span className="st need num">
                    {i + 1} of {open.length} · {elapsed(now - need.created)}
                  </span>
                </div>
                <div className="meta">
                  <span>{need.tool}</span>
                  <span title={need.cwd}>{need.cwd}</span>
                </div>
                <NeedCard need={need} session={session} inCard />
              </article>
            );
          })}
        </div>
      </section>
      {settled.length > 0 ? (
        <section className="section" aria-label="Just settled">
          <h2>Just settled</h2>
          {settled.map((need) => (
            <div key={need.id}>
              <b>{board.sessions.get(need.sessionId)?.name}</b>{' '}
              <span className="mono hint">{need.body.slice(0, 80)}</span>
              <SettledNote need={need} />
            </div>
          ))}
        </section>
      ) : null}
    </>
  );
}
