import type { Session } from './session';

/** Where a card stands. Order of the list is the order on the board. */
export const SECTIONS = [
  'needs-you',
  'working',
  'waiting',
  'finished',
  'idle',
  'trouble',
  'resumable',
] as const;
export type Section = (typeof SECTIONS)[number];

export function sectionOf(session: Session, openNeeds: number): Section {
  if (session.state === 'exited') return 'resumable';
  if (openNeeds > 0 || session.state === 'needs-you') return 'needs-you';
  switch (session.state) {
    case 'starting':
    case 'working':
      return 'working';
    case 'waiting':
      return 'waiting';
    case 'finished':
      return 'finished';
    case 'limit':
    case 'signed-out':
    case 'error':
    case 'unknown':
      return 'trouble';
    default:
      return 'idle';
  }
}
