'use client';
import { createContext, useContext, useState } from 'react';

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
