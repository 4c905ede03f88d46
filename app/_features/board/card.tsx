'use client';
import Link from 'next/link';
import { memo, useState } from 'react';
import type { Need, Project, Session, VendorManifest, Worktree } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { toast } from '../../_ui/asks';
import { Glyph } from '../../_ui/glyph';
import { stateWords, toneOf } from '../../_ui/state-words';
import { useNow } from '../../_ui/use-now';
import { archive } from '../history';
import { NeedCard, SettledNote } from '../needs';

export interface CardProps {
  session: Session;
  needs: readonly Need[];
  settled: Need | null;
  project: Project | null;
  worktree: Worktree | null;
  vendor: VendorManifest | null;
  /** Messages that wait for this agent, and whether one of them may not have arrived. */
  kept: number;
  unsure: boolean;
  /** On a phone a card only names its request; the request has a screen of its own. */
  small: boolean;
}

const SAYS_WHY: readonly Session['state'][] = ['error', 'exited', 'limit', 'signed-out', 'unknown'];

/** The only part of a card that changes by itself. */
function StateLine({ session, needs, tone }: { session: Session; needs: readonly Need[]; tone: string }) {
  const now = useNow();
  return <span className={`st num ${tone}`}>{stateWords(session, needs, now)}</span>;
}

function Resume({ session }: { session: Session }) {
  const [busy, setBusy] = useState(false);
  const resume = async () => {
    setBusy(true);
    try {
      await api().sessions.resume.mutate({ id: session.id });
    } catch (error) {
      toast(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="btn" disabled={busy} onClick={() => void resume()}>
      {busy ? 'Resuming …' : 'Resume'}
    </button>
  );
}

/** The lists are made anew with each update; what is in them is not. */
const same = (a: CardProps, b: CardProps): boolean =>
  a.session === b.session &&
  a.needs.length === b.needs.length &&
  a.needs.every((need, i) => need === b.needs[i]) &&
  a.settled === b.settled &&
  a.project === b.project &&
  a.worktree === b.worktree &&
  a.vendor === b.vendor &&
  a.kept === b.kept &&
  a.unsure === b.unsure &&
  a.small === b.small;

export const Card = memo(function Card(props: CardProps) {
  const { session, needs, settled, project, worktree, vendor, kept, unsure, small } = props;
  const tone = toneOf(session, needs);
  const place = [project?.name, worktree?.branch].filter(Boolean).join(' · ');
  const need = needs[0];
  const quiet = !need;
  const href = small && need ? `/needs?id=${need.id}` : `/session?id=${session.id}`;
  return (
    <article className={`card ${tone === 'need' ? 'need' : ''}`} data-card={session.id}>
      <div className="top">
        <Glyph state={tone === 'need' ? 'needs-you' : session.state} />
        <Link className="whole" href={href} title={session.name}>
          {session.name}
        </Link>
        <StateLine session={session} needs={needs} tone={tone} />
      </div>
      <div className="meta">
        <span>{vendor?.short ?? (session.kind === 'terminal' ? 'Terminal' : session.vendor)}</span>
        <span title={session.cwd}>{place}</span>
        {session.contextPct === null ? null : (
          <span className="ctx num" title="How full the agent's context is">
            <span
              className="meter"
              role="progressbar"
              aria-label="Context"
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round(session.contextPct)}
            >
              <i style={{ width: `${Math.min(100, session.contextPct)}%` }} />
            </span>
            {Math.round(session.contextPct)} %
          </span>
        )}
      </div>
      {need && !small ? <NeedCard need={need} session={session} inCard /> : null}
      {quiet && settled ? <SettledNote need={settled} /> : null}
      {quiet && session.reason && SAYS_WHY.includes(session.state) ? (
        <p className="note">{session.reason}</p>
      ) : null}
      {session.promptKept && session.prompt && session.state !== 'exited' ? (
        <p className="note">First message kept; the agent has not taken it yet.</p>
      ) : null}
      {unsure ? (
        <p className="note problem">A message may not have arrived; open the session to decide.</p>
      ) : kept > 0 ? (
        <p className="note">{kept === 1 ? 'One message waits.' : `${kept} messages wait.`}</p>
      ) : null}
      {quiet && session.recap ? <p className="recap">{session.recap}</p> : null}
      {quiet && !small && session.activity.length > 0 && session.state !== 'exited' ? (
        <div className="tail mono">{session.activity.join('\n')}</div>
      ) : null}
      {session.state === 'exited' ? (
        <div className="acts">
          {session.resumable ? <Resume session={session} /> : null}
          <button type="button" className="btn ghost" onClick={() => archive(session, true)}>
            Archive
          </button>
        </div>
      ) : null}
    </article>
  );
}, same);
