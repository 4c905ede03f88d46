import { Draft, type SessionId } from '@/server/contract';

const key = (id: SessionId): string => `offdeck.unsaved.${id}`;

/** Holds what the host has not kept yet, in this tab only: a tab opened later must not put old words over newer ones. */
export function stash(id: SessionId, draft: Draft): void {
  try {
    sessionStorage.setItem(key(id), JSON.stringify(draft));
  } catch {
    // No room, or storage is forbidden: the pause still keeps it on the host.
  }
}

/** What this tab wrote and the host did not confirm before the page went away. */
export function stashed(id: SessionId): Draft | undefined {
  try {
    return Draft.safeParse(JSON.parse(sessionStorage.getItem(key(id)) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** The host keeps this now; what was written since stays held. */
export function forget(id: SessionId, kept: Draft): void {
  try {
    if (JSON.stringify(stashed(id)) === JSON.stringify(Draft.parse(kept))) sessionStorage.removeItem(key(id));
  } catch {
    // Nothing was held then.
  }
}
