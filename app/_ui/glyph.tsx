import { CircleHelp, KeyRound, TriangleAlert } from 'lucide-react';
import type { SessionState } from '@/server/contract';

const ICONS: Partial<Record<SessionState, typeof KeyRound>> = {
  'signed-out': KeyRound,
  error: TriangleAlert,
  unknown: CircleHelp,
};

export function Glyph({ state }: { state: SessionState }) {
  const Icon = ICONS[state];
  return (
    <span className={`g ${state} ${Icon ? 'glyph' : ''}`} aria-hidden="true">
      {Icon ? <Icon /> : null}
    </span>
  );
}
