'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Draft, SessionId } from '@/server/contract';
import { api } from '../../_client/api';

const PAUSE_MS = 500;
const NOTHING: Draft = { text: '', images: [] };
const isEmpty = ({ text, images }: Draft): boolean => text === '' && images.length === 0;

/**
 * What is written and not sent, kept on the host at every pause: it survives a reload and is there on the next device.
 * While the host cannot be reached it stays in the box, and is kept as soon as the host answers.
 */
export function useDraft(id: SessionId, ready: boolean) {
  const [draft, setDraft] = useState(NOTHING);
  const [kept, setKept] = useState<'clean' | 'kept' | 'not-kept'>('clean');
  const now = useRef(NOTHING);
  const saved = useRef(NOTHING);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const save = useCallback(async () => {
    clearTimeout(timer.current);
    const wanted = now.current;
    if (wanted === saved.current) return;
    try {
      await api().messages.keepDraft.mutate({ id, ...wanted });
      saved.current = wanted;
      if (now.current === wanted) setKept(isEmpty(wanted) ? 'clean' : 'kept');
    } catch {
      setKept('not-kept');
      timer.current = setTimeout(() => void save(), PAUSE_MS * 6);
    }
  }, [id]);

  const load = useCallback(async () => {
    try {
      const found = await api().messages.draft.query({ id });
      // What is being written here is newer than what was written elsewhere.
      if (now.current !== saved.current) return;
      now.current = found;
      saved.current = found;
      setDraft(found);
      setKept(isEmpty(found) ? 'clean' : 'kept');
    } catch {
      // The next look finds it.
    }
  }, [id]);

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
      setDraft(now.current);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void save(), PAUSE_MS);
    },
    [save],
  );
  return { draft, now, change, kept };
}
