'use client';
import Link from 'next/link';
import { memo } from 'react';
import type { Need, Project, Session, VendorManifest, Worktree } from '@/server/contract';
import { Glyph } from '../../_ui/glyph';
import { stateWords, toneOf } from '../../_ui/state-words';
import { NeedCard } from '../needs';

export interface CardProps {
  session: Session;
  needs: readonly Need[];
  project: Project | null;
  worktree: Worktree | null;
  vendor: VendorManifest | null;
  now: number;
}

export const Card = memo(function Card({ session, needs, project, worktree, vendor, now }: CardProps) {
  const tone = toneOf(session, needs);
  const place = [project?.name, worktree?.branch].filter(Boolean).join(' · ');
  return (
    <article className={`card ${tone === 'need' ? 'need' : ''}`} data-card={session.id}>
      <div className="top">
        <Glyph state={tone === 'need' ? 'needs-you' : session.state} />
        <Link href={`/session?id=${session.id}`} title={session.name}>
          {session.name}
        </Link>
        <span className={`st num ${tone}`}>{stateWords(session, needs, now)}</span>
      </div>
      <div className="meta">
        <span>{vendor?.short ?? (session.kind === 'terminal' ? 'Terminal' : session.vendor)}</span>
        <span title={session.cwd}>{place}</span>
        {session.contextPct === null ? null : (
          <span className="ctx num">
            <span className="meter">
              <i style={{ width: `${Math.min(100, session.contextPct)}%` }} />
            </span>
            {Math.round(session.contextPct)} %
          </span>
        )}
      </div>
      {needs.length > 0 ? <NeedCard need={needs[0] as Need} session={session} inCard /> : null}
      {needs.length === 0 &&
      session.reason &&
      ['error', 'exited', 'limit', 'signed-out'].includes(session.state) ? (
        <p className="note">{session.reason}</p>
      ) : null}
      {needs.length === 0 && session.recap ? <p className="recap">{session.recap}</p> : null}
      {needs.length === 0 && session.activity.length > 0 && session.state !== 'exited' ? (
        <div className="tail mono">{session.activity.join('\n')}</div>
      ) : null}
    </article>
  );
});
