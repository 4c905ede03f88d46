'use client';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../../_ui/icon-button';

/** Looks through the terminal, newest first, as one types. */
export function TerminalFind(props: {
  onFind: (text: string, forward: boolean, incremental: boolean) => void;
  onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const next = (forward: boolean) => props.onFind(field.current?.value ?? '', forward, false);
  return (
    <search className="term-find">
      <input
        ref={field}
        className="in"
        aria-label="Find in the terminal"
        placeholder="Find"
        // biome-ignore lint/a11y/noAutofocus: opened by the person, to type into.
        autoFocus
        onChange={(event) => props.onFind(event.target.value, false, true)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            props.onClose();
          }
          if (event.key === 'Enter') next(event.shiftKey);
        }}
      />
      <IconButton label="Previous" icon={ArrowUp} onClick={() => next(false)} />
      <IconButton label="Next" icon={ArrowDown} onClick={() => next(true)} />
      <IconButton label="Close" icon={X} onClick={props.onClose} />
    </search>
  );
}
