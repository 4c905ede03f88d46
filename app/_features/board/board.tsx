'use client';
import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import { SECTIONS, type Section, type Session, sectionOf } from '@/server/contract';
import { openNeedsOf, useBoard } from '../../_client/board-store';
import { onKeys } from '../../_client/shortcuts';
import { useNow } from '../../_ui/use-now';
import { openStart, Preflight } from '../start';
import { Card } from './card';

const TITLES: Record<Section, string> = {
  'needs-you': 'Needs you',
  working: 'Working',
  waiting: 'Waiting on its own job',
  finished: 'Finished',
  idle: 'Idle',
  trouble: 'Limit and errors',
  resumable: 'Ended',
};

export function Board() {
  const board = useBoard();
  const now = useNow();
  const router = useRouter();
  const [project, setProject] = useState<string | null>(null);
  const [showEnded, setShowEnded] = useState(false);

  const sections = useMemo(() => {
    const found = new Map<Section, Session[]>(SECTIONS.map((section) => [section, []]));
    for (const session of board.sessions.values()) {
      if (project && session.projectId !== project) continue;
      found.get(sectionOf(session, openNeedsOf(board, session.id).length))?.push(session);
    }
    for (const list of found.values()) list.sort((a, b) => a.created - b.created);
    return found;
  }, [board, project]);

  useEffect(() => {
    const move = (step: number) => {
      const cards = [...document.querySelectorAll<HTMLElement>('[data-card] .top a')];
      const at = cards.findIndex((card) => card.closest('[data-card]')?.contains(document.activeElement));
      cards[Math.max(0, Math.min(cards.length - 1, at + step))]?.focus();
    };
    return onKeys({
      j: () => move(1),
      k: () => move(-1),
      enter: () => {
        const id = document.activeElement?.closest<HTMLElement>('[data-card]')?.dataset.card;
        if (id) router.push(`/session?id=${id}`);
      },
    });
  }, [router]);

  const projects = [...board.projects.values()].filter((p) => p.trusted);
  return (
    <>
      <header className="bar">
        <h1>Board</h1>
        <div className="chips">
          {projects.length > 1 ? (
            <>
              <button
                type="button"
                className="chip"
                aria-pressed={project === null}
                onClick={() => setProject(null)}
              >
                All projects
              </button>
              {projects.map((p) => (
                <button
                  type="button"
                  key={p.id}
                  className="chip"
                  aria-pressed={project === p.id}
                  onClick={() => setProject(project === p.id ? null : p.id)}
                >
                  {p.name}
                </button>
              ))}
            </>
          ) : null}
        </div>
        <span className="sp" />
        <button type="button" className="btn pri" onClick={openStart}>
          New session <kbd>N</kbd>
        </button>
      </header>
      {!board.ready ? (
        <div className="section" aria-busy="true">
          <div className="grid">
            <div className="skeleton" />
            <div className="skeleton" />
          </div>
        </div>
      ) : board.sessions.size === 0 ? (
        <div className="empty">
          <h2>No sessions yet</h2>
          <p>Start an agent in a worktree of your own repository and watch it here.</p>
          <Preflight />
          <button type="button" className="btn pri" onClick={openStart}>
            New session
          </button>
        </div>
      ) : (
        SECTIONS.map((section) => {
          const list = sections.get(section) ?? [];
          if (list.length === 0) return null;
          const folded = section === 'resumable' && !showEnded;
          return (
            <section className="section" key={section} aria-label={TITLES[section]}>
              <h2>
                {TITLES[section]} <span className="num">{list.length}</span>
                {section === 'resumable' ? (
                  <button type="button" onClick={() => setShowEnded(!showEnded)} aria-expanded={!folded}>
                    {folded ? 'Show' : 'Hide'}
                  </button>
                ) : null}
              </h2>
              {folded ? null : (
                <div className="grid">
                  {list.map((session) => (
                    <Card
                      key={session.id}
                      session={session}
                      needs={openNeedsOf(board, session.id)}
                      project={board.projects.get(session.projectId ?? '') ?? null}
                      worktree={board.worktrees.get(session.worktreeId ?? '') ?? null}
                      vendor={board.vendors.find((vendor) => vendor.id === session.vendor) ?? null}
                      now={now}
                    />
                  ))}
                </div>
              )}
            </section>
          );
        })
      )}
    </>
  );
}
