import { useSyncExternalStore } from 'react';
import type {
  BoardUpdate,
  Message,
  Need,
  Project,
  Session,
  VendorManifest,
  Worktree,
} from '@/server/contract';
import { api, hangUp, redial } from './api';
import { onWake } from './wake';

export interface BoardState {
  ready: boolean;
  /** `catching-up` for the first moments without a line (a redial takes milliseconds); `offline` when that failed. */
  line: 'dialling' | 'live' | 'catching-up' | 'offline';
  /** When the host was last heard (ms), for "showing 14:02". */
  heard: number;
  seq: number | null;
  sessions: ReadonlyMap<string, Session>;
  needs: ReadonlyMap<string, Need>;
  messages: ReadonlyMap<string, Message>;
  projects: ReadonlyMap<string, Project>;
  worktrees: ReadonlyMap<string, Worktree>;
  vendors: readonly VendorManifest[];
}

export const EMPTY: BoardState = {
  ready: false,
  line: 'dialling',
  heard: 0,
  seq: null,
  sessions: new Map(),
  needs: new Map(),
  messages: new Map(),
  projects: new Map(),
  worktrees: new Map(),
  vendors: [],
};

const byId = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));
const withRow = <T extends { id: string }>(map: ReadonlyMap<string, T>, row: T) =>
  new Map(map).set(row.id, row);

/** Pure. Whole rows replace rows, so hearing one twice changes nothing. */
export function applyUpdate(state: BoardState, update: BoardUpdate): BoardState {
  switch (update.type) {
    case 'snapshot': {
      const { snapshot } = update;
      return {
        ...state,
        ready: true,
        sessions: byId(snapshot.sessions),
        needs: byId(snapshot.needs),
        messages: byId(snapshot.messages),
        projects: byId(snapshot.projects),
        worktrees: byId(snapshot.worktrees),
        vendors: snapshot.vendors,
      };
    }
    case 'session':
      return { ...state, sessions: withRow(state.sessions, update.session) };
    case 'need':
      return { ...state, needs: withRow(state.needs, update.need) };
    case 'message':
      return { ...state, messages: withRow(state.messages, update.message) };
    case 'project':
      return { ...state, projects: withRow(state.projects, update.project) };
    case 'worktree':
      return { ...state, worktrees: withRow(state.worktrees, update.worktree) };
  }
}

let state = EMPTY;
const listeners = new Set<() => void>();
const set = (next: BoardState) => {
  state = next;
  for (const listener of listeners) listener();
};

/** When this page first saw a request as no longer open; the record itself has a time only once it is settled. */
const noticed = new Map<string, number>();
const notice = (update: BoardUpdate): void => {
  const needs =
    update.type === 'need' ? [update.need] : update.type === 'snapshot' ? update.snapshot.needs : [];
  for (const need of needs) {
    if (need.state !== 'pending' && !noticed.has(need.id)) noticed.set(need.id, need.settled ?? Date.now());
  }
};

let following = false;
const RETRY_MS = 2_000;

function subscribe(): void {
  api().board.feed.subscribe(
    // On its own redials tRPC names the last row it had; a new subscription has to say so itself.
    { after: state.seq },
    {
      onData: ({ id, data }) => {
        notice(data as BoardUpdate);
        set({
          ...applyUpdate(state, data as BoardUpdate),
          seq: Number(id),
          line: 'live',
          heard: Date.now(),
        });
      },
      onConnectionStateChange: (connection) => {
        if (connection.state === 'pending') set({ ...state, line: 'live' });
        else if (state.line === 'live') set({ ...state, line: 'catching-up', heard: Date.now() });
        else if (connection.error && state.line !== 'offline') set({ ...state, line: 'offline' });
      },
      // The host ended this subscription with an error; it does not come back by itself.
      onError: () => {
        if (!following) return;
        set({ ...state, line: 'offline' });
        setTimeout(() => following && subscribe(), RETRY_MS);
      },
    },
  );
}

/** Follows the board for as long as the page lives, or until `stopFollowing`. */
export function followBoard(): void {
  if (following) return;
  following = true;
  subscribe();
  if (!listening) onWake(redial);
  listening = true;
}
let listening = false;

/** Says goodbye to the host and forgets what it showed: this device is refused. */
export function stopFollowing(): void {
  following = false;
  hangUp();
  set(EMPTY);
}

export const useBoard = (): BoardState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
    () => EMPTY,
  );

export const openNeedsOf = (board: BoardState, sessionId: string): Need[] =>
  [...board.needs.values()].filter((need) => need.sessionId === sessionId && need.state === 'pending');

const LINGER_MS = 8_000;

/** When a request stopped being open, as far as this page knows. */
export const settledAt = (need: Need): number => need.settled ?? noticed.get(need.id) ?? 0;

/**
 * A request that was answered or fell away a moment ago: its card says by whom before it leaves. One whose answer the
 * agent has not taken stays for as long as that is so.
 */
export function settledLately(board: BoardState, sessionId: string, now: number): Need | null {
  let latest: Need | null = null;
  for (const need of board.needs.values()) {
    if (need.sessionId !== sessionId || need.state === 'pending') continue;
    if (need.state !== 'answered' && now - settledAt(need) > LINGER_MS) continue;
    if (!latest || settledAt(need) >= settledAt(latest)) latest = need;
  }
  return latest;
}
