'use client';
import { useEffect, useRef, useState } from 'react';
import type { Session } from '@/server/contract';
import { useBoard } from '../../_client/board-store';
import { keepChoice, readChoice } from '../../_client/preferences';
import { onKeys } from '../../_client/shortcuts';
import { type Option, Pick } from '../../_ui/pick';
import { PHONE, useMedia } from '../../_ui/use-media';

/** How a session is looked at: two faces of one live CLI, alone or both at once. */
export type Face = 'chat' | 'terminal' | 'split';
const FACES: readonly Option<Face>[] = [
  { value: 'chat', label: 'Chat', title: 'Chat (T)' },
  { value: 'terminal', label: 'Terminal', title: 'Terminal (T)' },
  { value: 'split', label: 'Split', title: 'Chat and terminal (S)' },
];
const isFace = (text: string | null): text is Face => FACES.some((face) => face.value === text);

/** The face of this session: the last one chosen here; a terminal has only one. */
export function useFace(session: Session): [Face, (face: Face) => void] {
  const board = useBoard();
  const vendor = board.vendors.find((one) => one.id === session.vendor);
  const [chosen, setChosen] = useState<Face | null>(() => {
    const kept = readChoice('face');
    return isFace(kept) ? kept : null;
  });
  const face: Face =
    session.kind === 'terminal' || !vendor?.capabilities.chats ? 'terminal' : (chosen ?? 'chat');
  const choose = (next: Face) => {
    keepChoice('face', next);
    setChosen(next);
  };
  const press = useRef<(key: 't' | 's') => void>(() => {});
  press.current = (key) => {
    if (session.kind === 'terminal') return;
    choose(key === 's' ? (face === 'split' ? 'chat' : 'split') : face === 'chat' ? 'terminal' : 'chat');
  };
  useEffect(() => onKeys({ t: () => press.current('t'), s: () => press.current('s') }), []);
  return [face, choose];
}

export function Faces({ face, onFace }: { face: Face; onFace: (face: Face) => void }) {
  const phone = useMedia(PHONE);
  const options = phone && face !== 'split' ? FACES.filter((one) => one.value !== 'split') : FACES;
  return <Pick label="Face" value={face} options={options} onChange={onFace} />;
}
