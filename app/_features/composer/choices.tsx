'use client';
import { useEffect, useRef } from 'react';
import type { Completion } from './use-completion';

export const LIST_ID = 'composer-choices';
export const choiceId = (index: number): string => `${LIST_ID}-${index}`;

/** The list above the message box; the keys go to the box itself, which names the choice that is marked. */
export function Choices({
  label,
  completion,
  marked,
  onChoose,
}: {
  label: string;
  completion: Completion;
  marked: number;
  onChoose: (index: number) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const { choices, more, note } = completion;
  useEffect(() => {
    list.current?.querySelector(`#${choiceId(marked)}`)?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return (
    <div className="choices">
      {note ? (
        <p className="note" role="status">
          {note}
        </p>
      ) : null}
      <div ref={list} id={LIST_ID} role="listbox" aria-label={label} tabIndex={-1}>
        {choices.map(({ name, shown, hint }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the message box has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the message box (aria-activedescendant).
          <div
            key={name}
            id={choiceId(index)}
            role="option"
            aria-selected={index === marked}
            // The box keeps the focus, and a phone its keyboard.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(index)}
          >
            <span className="mono">{shown}</span>
            {hint ? <span className="hint">{hint}</span> : null}
          </div>
        ))}
      </div>
      {more ? <p className="note">There are more: go on typing.</p> : null}
    </div>
  );
}
