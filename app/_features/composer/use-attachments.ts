'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Draft, type ImageName, MAX_IMAGES, type SessionId } from '@/server/contract';
import { problemText } from '../../_client/api';
import { fitPicture, keepPicture, sendPicture } from '../pictures';
import { newMessageId } from './new-message-id';

/** A picture on its way to the host. */
export interface Upload {
  id: string;
  share: number;
  problem: string | null;
  /** Tries once more; null where that cannot help. */
  again: (() => void) | null;
}

/** Adds pictures to a draft: each is made fit, sent to the host, and then part of the draft like its words. */
export function useAttachments(
  sessionId: SessionId,
  draft: { current: Draft },
  change: (next: Partial<Draft>) => void,
) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const live = useRef(new Set<string>());
  // What is on its way when the box goes would come back with the old words.
  useEffect(() => () => live.current.clear(), []);
  // One after the other: “the first image” in the words is the first that was chosen.
  const turn = useRef(Promise.resolve());
  const patch = (id: string, next: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...next } : one)));
  const drop = useCallback((id: string) => {
    live.current.delete(id);
    setUploads((all) => all.filter((one) => one.id !== id));
  }, []);

  const run = async (id: string, file: Blob): Promise<void> => {
    if (!live.current.has(id)) return;
    patch(id, { problem: null, share: 0 });
    let fit: Blob;
    try {
      fit = await fitPicture(file);
    } catch (error) {
      patch(id, { problem: problemText(error), again: null });
      return;
    }
    try {
      if (!live.current.has(id)) return; // left out meanwhile
      const name = await sendPicture(sessionId, id, fit, (share) => patch(id, { share }));
      if (!live.current.has(id)) return;
      keepPicture(`${sessionId}/${name}`, fit);
      const { images } = draft.current;
      if (!images.includes(name)) change({ images: [...images, name] });
      drop(id);
    } catch (error) {
      patch(id, { problem: problemText(error) });
    }
  };
  /** Takes what a person pasted, dropped or chose. */
  const add = (files: Iterable<File>) => {
    setProblem(null);
    for (const file of files) {
      if (draft.current.images.length + live.current.size >= MAX_IMAGES) {
        setProblem(`A message takes ${MAX_IMAGES} images; the rest was left out.`);
        return;
      }
      const id = newMessageId();
      live.current.add(id);
      const again = () => {
        turn.current = turn.current.then(() => run(id, file));
      };
      setUploads((all) => [...all, { id, share: 0, problem: null, again }]);
      again();
    }
  };
  const remove = (name: ImageName) =>
    change({ images: draft.current.images.filter((image) => image !== name) });
  return { uploads, problem, add, remove, drop };
}
