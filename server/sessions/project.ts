import type { DomainEvent, Session } from '../contract';

const MAX_ACTIVITY = 4;

/** Pure: a session after a fact about it. `at` is when the fact was appended. */
export function projectSession(before: Session, event: DomainEvent, at: number): Session {
  switch (event.type) {
    case 'session.pane-opened':
      return { ...before, pane: event.pane };
    case 'session.renamed':
      return { ...before, name: event.name };
    case 'session.archived':
      return { ...before, archived: event.archived };
    case 'session.seen':
      return before.state === 'finished' ? { ...before, state: 'idle' } : before;
    case 'session.state-changed':
      return {
        ...before,
        state: event.state,
        since: event.since,
        reason: event.reason,
        resetsAt: event.resetsAt,
        evidence: event.evidence,
      };
    case 'session.noted': {
      const { activity, ...note } = event.note;
      return {
        ...before,
        ...note,
        activity: activity ? [...before.activity, ...activity].slice(-MAX_ACTIVITY) : before.activity,
      };
    }
    case 'session.ended':
      return {
        ...before,
        state: 'exited',
        since: at,
        reason: event.reason,
        resetsAt: null,
        pane: event.paneKept ? before.pane : null,
        exitCode: event.exitCode,
        resumable: event.resumable,
        ended: at,
      };
    case 'session.resumed':
      return {
        ...before,
        state: 'starting',
        since: at,
        pane: null,
        reason: null,
        exitCode: null,
        resumable: false,
        ended: null,
        evidence: [],
        promptKept: false,
        archived: false,
      };
    default:
      return before;
  }
}
