'use client';
import type { Need } from '@/server/contract';
import { settledAt } from '../../_client/board-store';
import { clockTime } from '../../_ui/elapsed';

const OUTCOME: Partial<Record<Need['state'], string>> = {
  answered: 'recorded on the host; the agent has not taken it yet',
  delivered: 'taken by the agent',
  confirmed: 'taken by the agent',
};
const ENDED: Partial<Record<Need['state'], string>> = {
  expired: 'Expired; the question still stands in the terminal.',
  'answered-elsewhere': 'Answered in the terminal.',
  cancelled: 'The agent withdrew it.',
  superseded: 'The agent asks something else now.',
  lost: 'The host lost the connection to it; answer in the terminal.',
};

/** What became of a request a moment ago: by whom and when, and whether the agent has it. */
export function SettledNote({ need }: { need: Need }) {
  const at = settledAt(need);
  const when = at > 0 ? `, ${clockTime(at)}` : '';
  if (!need.answeredByLabel) {
    return <p className="note settled">{`${need.note ?? ENDED[need.state] ?? 'No longer open.'}`}</p>;
  }
  const outcome = OUTCOME[need.state] ?? need.note ?? ENDED[need.state];
  return (
    <p className="note settled">
      <b>{need.decision === 'allow' ? 'Approved' : 'Denied'}</b> on {need.answeredByLabel}
      {when}
      {outcome ? ` · ${outcome}` : ''}
    </p>
  );
}
