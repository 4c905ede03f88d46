import type { Need, Session } from '@/server/contract';
import { clockTime, elapsed } from './elapsed';

const NEED_WORD: Record<Need['kind'], string> = {
  command: 'Approval',
  edit: 'Approval',
  tool: 'Approval',
  question: 'Question',
  plan: 'Plan',
  other: 'Check me',
};

/** Pure. The state of a card in words, with its time. */
export function stateWords(session: Session, needs: readonly Need[], now: number): string {
  const first = needs[0];
  if (first && session.state !== 'exited') {
    const more = needs.length > 1 ? ` 1 of ${needs.length}` : '';
    return `${NEED_WORD[first.kind]}${more} · ${elapsed(now - first.created)}`;
  }
  const since = elapsed(now - session.since);
  switch (session.state) {
    case 'starting':
      return 'Starting';
    case 'working':
      return `Working · ${since}`;
    case 'needs-you':
      return `Check me · ${since}`;
    case 'waiting':
      return `${session.reason ?? 'Own job'} · ${since}`;
    case 'finished':
      return `Finished · ${since} ago`;
    case 'idle':
      return 'Idle';
    case 'limit':
      return session.resetsAt ? `Limit · resets ${clockTime(session.resetsAt)}` : 'Limit';
    case 'signed-out':
      return 'Signed out';
    case 'error':
      return 'Stopped';
    case 'exited':
      return session.resumable ? 'Ended · resumable' : 'Ended';
    case 'unknown':
      return `Not sure · last seen ${clockTime(session.since)}`;
  }
}

export const toneOf = (session: Session, needs: readonly Need[]): string =>
  session.state !== 'exited' && (needs.length > 0 || session.state === 'needs-you') ? 'need' : session.state;
