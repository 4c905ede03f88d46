'use client';
import { Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import { SECTIONS, type Section, type Session, sectionOf } from '@/server/contract';
import { openNeedsOf, settledLately, useBoard } from '../../_client/board-store';
import { onKeys } from '../../_client/shortcuts';
import { ask } from '../../_ui/asks';
import { MenuButton } from '../../_ui/menu-button';
import { modKey } from '../../_ui/mod-key';
import { PHONE, useMedia } from '../../_ui/use-media';
import { useNow } from '../../_ui/use-now';
import { Waiting } from '../../_ui/waiting';
import { FirstRun } from '../start';
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

/** As many cards as can be looked over; the rest of a section is one press away. */
const ENOUGH = 24;

/** The answer button of the card that has the focus, if it can be pressed. */
const answerOf = (what: 'allow' | 'deny') =>
  document.activeElement
    ?.closest('[data-card]')
    ?.querySelector<HTMLButtonElement>(`[data-answer="${what}"]:not(:disabled)`);

export function Board() {
  const board = useBoard();
  const now = useNow();
  const router = useRouter();
  const phone = useMedia(PHONE);
  const [project, setProject] = useState<string | null>(null);
  const [showEnded, setShowEnded] = useState(false);
  const [whole, setWhole] = useState<ReadonlySet<Section>>(new Set());

  const sections = useMemo(() => {
    const found = new Map<Section, Session[]>(SECTIONS.map((section) => [section, []]));
    for (const session of board.sessions.values()) {
      if (session.archived || (project && session.projectId !== project)) continue;
      found.get(sectionOf(session, openNeedsOf(board, session.id).length))?.push(session);
    }
    for (const list of found.values()) list.sort((a, b) => a.created - b.created);
    return found;
  }, [board, project]);

  useEffect(() => {
    const move = (step: number) => {
      const cards = [...document.querySelectorAll<HTMLElement>('[data-card] .top a')];
      const at = cards.findIndex((card) => card.closest('[data-card]')?.contains(document.activeElement));
      const next = cards[Math.max(0, Math.min(cards.length - 1, at + step))];
      next?.focus();
      next?.closest('[data-card]')?.scrollIntoView({ block: 'nearest' });
    };
    return onKeys({
      j: () => move(1),
      k: () => move(-1),
      a: () => answerOf('allow')?.click(),
      d: () => answerOf('deny')?.click(),
      enter: () => {
        const id = document.activeElement?.closest<HTMLElement>('[data-card]')?.dataset.card;
        if (id) router.push(`/session?id=${id}`);
      },
    });
  }, [router]);

  const messages = useMemo(() => {
    const found = new Map<string, { kept: number; unsure: boolean }>();
    for (const { sessionId, state } of board.messages.values()) {
      if (state !== 'kept' && state !== 'unsure') continue;
      const of = found.get(sessionId) ?? { kept: 0, unsure: false };
      found.set(sessionId, {
        kept: of.kept + (state === 'kept' ? 1 : 0),
        unsure: of.unsure || state === 'unsure',
      });
    }
    return found;
  }, [board.messages]);

  const projects = [...board.projects.values()].filter((p) => p.trusted);
  const chosen = projects.find((p) => p.id === project);
  const empty = chosen && ![...sections.values()].some((list) => list.length > 0);
  return (
    <>
      <header className="bar">
        <MenuButton />
        <h1>Board</h1>
        {projects.length > 1 && phone ? (
          <select
            className="filter"
            aria-label="Project"
            value={project ?? ''}
            onChange={(event) => setProject(event.target.value || null)}
          >
            <option value="">All projects</option>
            {projects.map((p) => (
              <option key={p.id} value={p.id}>
                {p.name}
              </option>
            ))}
          </select>
        ) : projects.length > 1 ? (
          <div className="chips">
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
          </div>
        ) : null}
        <span className="sp" />
        <button type="button" className="btn ghost wide-only" onClick={() => ask('palette')}>
          Find <kbd>{board.ready ? modKey() : ''}K</kbd>
        </button>
        <button type="button" className="btn pri" onClick={() => ask('start')} title="New session (N)">
          {phone ? <Plus aria-label="New session" /> : 'New session'} <kbd>N</kbd>
        </button>
      </header>
      {!board.ready ? (
        <Waiting />
      ) : board.sessions.size === 0 ? (
        <div className="empty">
          <h2>No sessions yet</h2>
          <p>Start an agent in a worktree of your own repository and watch it here.</p>
          <FirstRun />
          <button type="button" className="btn pri" onClick={() => ask('start')}>
            New session
          </button>
        </div>
      ) : empty ? (
        <div className="empty">
          <h2>No sessions in {chosen.name}</h2>
          <p>Those of other projects are still there.</p>
          <button type="button" className="btn" onClick={() => setProject(null)}>
            All projects
          </button>
        </div>
      ) : (
        SECTIONS.map((section) => {
          const list = sections.get(section) ?? [];
          if (list.length === 0) return null;
          const folded = section === 'resumable' && !showEnded;
          const shown = whole.has(section) ? list : list.slice(0, ENOUGH);
          return (
            <section className="section" key={section} aria-label={TITLES[section]}>
              <h2>
                {TITLES[section]} <span className="num">{list.length}</span>
                {section === 'resumable' ? (
                  <button
                    type="button"
                    className="fold"
                    onClick={() => setShowEnded(!showEnded)}
                    aria-expanded={!folded}
                  >
                    {folded ? 'Show' : 'Hide'}
                  </button>
                ) : null}
              </h2>
              {folded ? null : (
                <div className="grid">
                  {shown.map((session) => (
                    <Card
                      key={session.id}
                      session={session}
                      needs={openNeedsOf(board, session.id)}
                      settled={settledLately(board, session.id, now)}
                      project={board.projects.get(session.projectId ?? '') ?? null}
                      worktree={board.worktrees.get(session.worktreeId ?? '') ?? null}
                      vendor={board.vendors.find((vendor) => vendor.id === session.vendor) ?? null}
                      kept={messages.get(session.id)?.kept ?? 0}
                      unsure={messages.get(session.id)?.unsure ?? false}
                      small={phone}
                    />
                  ))}
                </div>
              )}
              {!folded && shown.length < list.length ? (
                <button
                  type="button"
                  className="btn more"
                  onClick={() => setWhole(new Set(whole).add(section))}
                >
                  Show {list.length - shown.length} more
                </button>
              ) : null}
            </section>
          );
        })
      )}
    </>
  );
}
