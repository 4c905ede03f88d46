'use client';
import { Popover } from 'radix-ui';
import type { Evidence, Session, SessionState } from '@/server/contract';
import { elapsed } from '../../_ui/elapsed';
import { useNow } from '../../_ui/use-now';

const SOURCE: Record<Evidence['source'], string> = {
  hook: "The agent's hook",
  api: "The agent's own API",
  'session-file': "The agent's session file",
  transcript: 'The conversation on disk',
  process: 'The process',
  title: 'The title of the terminal',
  screen: 'What stands on the screen',
  host: 'Offdeck itself',
};
const NAME: Record<SessionState, string> = {
  starting: 'starting',
  working: 'working',
  'needs-you': 'needs you',
  waiting: 'waiting on its own job',
  finished: 'finished',
  idle: 'idle',
  limit: 'at its limit',
  'signed-out': 'signed out',
  error: 'stopped',
  exited: 'ended',
  unknown: 'not sure',
};
const CHANGES: Record<SessionState, string> = {
  starting: 'Changes with the first sign of life from the agent.',
  working: 'Changes when the turn ends, or when the agent asks for something.',
  'needs-you': 'Changes when the request is answered, here or in the terminal.',
  waiting: 'Changes when its own job ends.',
  finished: 'Becomes idle once you have looked.',
  idle: 'Changes with the next message.',
  limit: 'Changes when the limit resets, or when the agent goes on.',
  'signed-out': 'Changes when you sign in, in the terminal.',
  error: 'Changes when the agent goes on; see the terminal.',
  exited: 'Changes when you resume it.',
  unknown: 'Changes with the next sign from the agent; look at the terminal.',
};

/** Why a session's state is believed: each sign with its age, and what would change it. */
export function Why({ session }: { session: Session }) {
  const now = useNow();
  const votes = [...session.evidence].sort((a, b) => b.at - a.at);
  return (
    <Popover.Portal>
      <Popover.Content className="why-pop" align="end" sideOffset={6} collisionPadding={12}>
        <b>Why this state</b>
        {session.reason ? <p>{session.reason}</p> : null}
        <ul>
          {votes.map((vote) => (
            <li key={vote.source}>
              {SOURCE[vote.source]}: {vote.detail}
              <span className="hint">
                {NAME[vote.state]}, {elapsed(now - vote.at)} ago
              </span>
            </li>
          ))}
          {votes.length === 0 ? <li>No sign yet.</li> : null}
        </ul>
        <p className="hint">{CHANGES[session.state]}</p>
      </Popover.Content>
    </Popover.Portal>
  );
}
