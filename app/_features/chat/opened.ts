'use client';
import { createContext, useContext, useState } from 'react';
import type { ImageBytes, SessionId } from '@/server/contract';

/** The session whose conversation is shown; a line may show another conversation of it, its subagent's. */
export const InSession = createContext<SessionId | null>(null);

/** How a picture of the shown conversation is fetched: by the offset of its record and its place in it. */
export const InRecord = createContext<{
  key: string;
  load: (offset: number, index: number) => Promise<ImageBytes>;
} | null>(null);

/** Which lines the reader has opened. Kept outside the lines: a long list forgets those that are out of sight. */
export const Opened = createContext<Set<string>>(new Set());

export function useOpened(id: string): [boolean, () => void] {
  const opened = useContext(Opened);
  const [open, setOpen] = useState(opened.has(id));
  return [
    open,
    () => {
      if (open) opened.delete(id);
      else opened.add(id);
      setOpen(!open);
    },
  ];
}
