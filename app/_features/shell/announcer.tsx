'use client';
import { useEffect, useRef, useState } from 'react';
import { useBoard } from '../../_client/board-store';

/** Says each new request once to a screen reader, wherever the focus is; it never takes the focus. */
export function Announcer() {
  const board = useBoard();
  const said = useRef<Set<string> | null>(null);
  const [text, setText] = useState('');
  useEffect(() => {
    if (!board.ready) return;
    const open = [...board.needs.values()].filter((need) => need.state === 'pending');
    const known = said.current;
    if (known === null) {
      // What was there when the page opened is read where it stands.
      said.current = new Set(open.map((need) => need.id));
      return;
    }
    const fresh = open.filter((need) => !known.has(need.id));
    for (const need of fresh) known.add(need.id);
    const last = fresh.at(-1);
    if (last) setText(`${board.sessions.get(last.sessionId)?.name ?? 'A session'}: ${last.title}`);
  }, [board]);
  return (
    <div className="sr-only" aria-live="polite">
      {text}
    </div>
  );
}
