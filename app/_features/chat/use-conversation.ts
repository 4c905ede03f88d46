'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChatUpdate, SessionId } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { addEarlier, applyUpdate, type Conversation, LOADING } from './conversation';

const AGAIN_MS = 2_000;

/** How the pictures of a conversation are fetched; null before anything of it is known. */
export const imagesOf = (id: SessionId, agent: string | null, generation: string | null) =>
  generation === null
    ? null
    : {
        key: `${id}/${agent ?? ''}/${generation}`,
        load: (offset: number, index: number) =>
          api().chat.image.query({ id, agent, generation, offset, index }),
      };

/** Follows one conversation while it is looked at; `earlier` loads the page before what is known. */
export function useConversation(id: SessionId, agent: string | null) {
  const [state, setState] = useState<Conversation>(LOADING);
  const [problem, setProblem] = useState<string | null>(null);
  const now = useRef(state);
  now.current = state;
  const loading = useRef(false);

  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let following: { unsubscribe(): void } | null = null;
    // Updates that come in one go are shown in one go: a burst of rows must not paint once per row.
    let queue: ChatUpdate[] = [];
    let frame = 0;
    const flush = () => {
      frame = 0;
      const batch = queue;
      queue = [];
      setState((before) => batch.reduce(applyUpdate, before));
    };
    const open = () => {
      const { generation, to } = now.current;
      following = api().chat.follow.subscribe(
        { id, agent, after: generation === null ? null : { generation, to } },
        {
          onData: (update) => {
            setProblem(null);
            queue.push(update as ChatUpdate);
            // A hidden page has no frames; it catches up when it is looked at.
            frame ||= requestAnimationFrame(flush);
          },
          onError: (error) => {
            setProblem(problemText(error));
            if (!gone) timer = setTimeout(open, AGAIN_MS);
          },
        },
      );
    };
    open();
    return () => {
      gone = true;
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      following?.unsubscribe();
    };
  }, [id, agent]);

  const earlier = useCallback(async () => {
    const { generation, from, start } = now.current;
    if (generation === null || start || loading.current) return;
    loading.current = true;
    try {
      const page = await api().chat.page.query({ id, agent, generation, offset: from });
      setState((before) => addEarlier(before, page));
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      loading.current = false;
    }
  }, [id, agent]);
  return { state, problem, earlier };
}
