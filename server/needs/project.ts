import type { DomainEvent, Need } from '../contract';

/** Pure: a need after a fact about it. */
export function projectNeed(before: Need, event: DomainEvent, at: number): Need {
  switch (event.type) {
    case 'need.answered':
      return {
        ...before,
        state: 'answered',
        decision: event.decision,
        detail: event.detail ?? null,
        answeredBy: event.deviceId,
        answeredByLabel: event.deviceLabel,
      };
    case 'need.moved': {
      const ended = event.state !== 'pending' && event.state !== 'answered' && event.state !== 'delivered';
      return { ...before, state: event.state, note: event.note, settled: ended ? at : before.settled };
    }
    default:
      return before;
  }
}
