'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Draft, SessionId } from '@/server/contract';
import { api } from '../../_client/api';
import { forget, stash, stashed } from './stash';

const PAUSE_MS = 500;
const NOTHING: Draft = { text: '', images: [] };
const isEmpty = ({ text, images }: Draft): boolean => text === '' && images.length === 0;

/**
 * What is written and not sent, kept on the host at every pause: it survives a reload and is there on the next device.
 * While the host cannot be reached it stays in the box, and is kept as soon as the host answers. What was written since
 * the last pause is stashed in this tab, so that a reload in the middle of a word loses nothing.
 */
export function useDraft(id: SessionId, ready: boolean) {
  const [draft, setDraft] = useState(NOTHING);
  const [kept, setKept] = useState<'clean' | 'kept' | 'not-kept'>('clean');
  const now = useRef(NOTHING);
  const saved = useRef(NOTHING);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const gone = useRef(false);

  const save = useCallback(async () => {
    clearTimeout(timer.current);
    const wanted = now.current;
    if (wanted === saved.current) return;
    try {
      await api().messages.keepDraft.mutate({ id, ...wanted });
      saved.current = wanted;
      if (now.current !== wanted) return;
      forget(id, wanted);
      setKept(isEmpty(wanted) ? 'clean' : 'kept');
    } catch {
      setKept('not-kept');
      // A box that is gone leaves it to the stash: its old words must not overtake those of the next one.
      if (gone.current) return;
      timer.current = setTimeout(() => void save(), PAUSE_MS * 6);
    }
  }, [id]);

  const load = useCallback(async () => {
    try {
      const found = await api().messages.draft.query({ id });
      // What is being written here is newer than what was written elsewhere.
      if (now.current !== saved.current) return;
      saved.current = found;
      const unsaved = stashed(id);
      if (unsaved) {
        now.current = unsaved;
        setDraft(unsaved);
        return void save();
      }
      now.current = found;
      setDraft(found);
      setKept(isEmpty(found) ? 'clean' : 'kept');
    } catch {
      // The next look finds it.
    }
  }, [id, save]);

  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      clearTimeout(timer.current);
    };
  }, []);
  useEffect(() => {
    if (!ready) return;
    void load();
    const look = () => {
      if (document.visibilityState === 'visible') void load();
      else void save();
    };
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      void save();
    };
  }, [ready, load, save]);

  const change = useCallback(
    (next: Partial<Draft>) => {
      // From what it is now: a picture that arrives meanwhile must not put back old words.
      now.current = { ...now.current, ...next };
      stash(id, now.current);
      setDraft(now.current);
      setKept('clean'); // what the host keeps is older than this
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void save(), PAUSE_MS);
    },
    [id, save],
  );
  return { draft, now, change, kept };
}
