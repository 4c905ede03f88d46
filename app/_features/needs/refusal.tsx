'use client';
import { useState } from 'react';

/** Words that go with a "no": what to do instead. */
export function Refusal({
  label,
  act,
  disabled,
  onSend,
}: {
  label: string;
  act: string;
  disabled: boolean;
  onSend: (text: string) => void;
}) {
  const [text, setText] = useState('');
  return (
    <form
      className="refusal"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() && !disabled) onSend(text.trim());
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <input
        className="in"
        aria-label={label}
        placeholder={label}
        value={text}
        disabled={disabled}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="btn" disabled={disabled || !text.trim()}>
        {act}
      </button>
    </form>
  );
}
