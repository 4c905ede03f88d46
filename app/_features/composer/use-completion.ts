'use client';
import { useEffect, useRef, useState } from 'react';
import type { SessionId, VendorCommand } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { matching, type Token } from './token';

export interface Choice {
  name: string;
  shown: string;
  hint: string;
}
export interface Completion {
  /** What it was looked for; what is being named may be further on already. */
  query: string | null;
  choices: Choice[];
  more: boolean;
  /** What stands in the list's place: it is being looked for, nothing was found, or it went wrong. */
  note: string | null;
}
const NONE: Completion = { query: null, choices: [], more: false, note: null };
const PAUSE_MS = 60;
const FROM: Record<VendorCommand['from'], string> = { cli: '', user: 'yours', project: 'project' };

/** What may be meant by the token at the caret; empty while nothing is named. */
export function useCompletion(id: SessionId, token: Token | null): Completion {
  const [found, setFound] = useState<Completion>(NONE);
  const { kind, query } = token ?? { kind: null, query: '' };
  useEffect(() => {
    if (kind === null) {
      setFound(NONE);
      return;
    }
    let stale = false;
    const timer = setTimeout(
      async () => {
        try {
          const next = kind === 'file' ? await files(id, query) : await commands(id, query);
          if (!stale) setFound(next);
        } catch (error) {
          if (!stale) setFound({ ...NONE, query, note: problemText(error) });
        }
      },
      kind === 'file' ? PAUSE_MS : 0,
    );
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [id, kind, query]);
  return found;
}

async function files(id: SessionId, query: string): Promise<Completion> {
  const { paths, more } = await api().sessions.files.query({ id, query });
  return {
    query,
    // The name says which file it is; of a long path a narrow screen shows only the folders.
    choices: paths.map((path) => {
      const cut = path.lastIndexOf('/', path.length - 2) + 1;
      return { name: path, shown: path.slice(cut), hint: path.slice(0, cut) };
    }),
    more,
    note: paths.length === 0 ? 'No file of that name that git does not ignore.' : null,
  };
}

async function commands(id: SessionId, query: string): Promise<Completion> {
  const found = matching(await api().sessions.commands.query({ id }), query);
  return {
    query,
    choices: found.map(({ name, hint, takes, from }) => ({
      name,
      shown: name,
      hint: [takes, hint, FROM[from] && `(${FROM[from]})`].filter(Boolean).join(' '),
    })),
    more: false,
    note: found.length === 0 ? 'No command of that name: it will be sent as text.' : null,
  };
}

/** Earlier messages, walked through with the arrow keys; what was being written is there again at the end. */
export function useEarlier(id: SessionId) {
  const list = useRef<string[] | null>(null);
  const at = useRef(0);
  const own = useRef('');
  return {
    /** The message before or after the one shown; null when there is none. */
    async step(by: 1 | -1, now: string): Promise<string | null> {
      if (list.current === null) {
        if (by < 0) return null;
        list.current = await api().messages.earlier.query({ id });
        at.current = 0;
        own.current = now;
      }
      const next = at.current + by;
      if (next < 0 || next > list.current.length) return null;
      at.current = next;
      return next === 0 ? own.current : (list.current[next - 1] ?? null);
    },
    /** True while one of them is shown unchanged. */
    shows: (text: string) => at.current > 0 && list.current?.[at.current - 1] === text,
    forget() {
      list.current = null;
      at.current = 0;
    },
  };
}
