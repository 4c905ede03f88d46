'use client';
import { useRef, useState } from 'react';
import type { Screen } from './terminal-screen';

const KEYS: readonly [string, string][] = [
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['⇧Tab', '\x1b[Z'],
  ['⌃C', '\x03'],
];
const MORE: readonly [string, string][] = [
  ['⌃D', '\x04'],
  ['/', '/'],
  ['|', '|'],
  ['~', '~'],
  ['↵', '\r'],
];
const ARROWS = [
  ['↑', 'A', 'Up'],
  ['↓', 'B', 'Down'],
  ['←', 'D', 'Left'],
  ['→', 'C', 'Right'],
] as const;

/** The letter as Ctrl makes it. */
const withCtrl = (text: string) => String.fromCharCode((text.toUpperCase().codePointAt(0) ?? 0) & 31);

/**
 * What a thumb needs under a terminal: the keys a phone has not, and a field for whole messages. Typing into the field
 * is exact where phone keyboards garble a terminal's own input; the keyboard for the terminal itself is a choice.
 */
export function TerminalTouch(props: {
  screen: () => Screen | null;
  blocked: string | null;
  onText: () => void;
  onPaste: (text: string) => void;
}) {
  const { screen, blocked, onText, onPaste } = props;
  const [ctrl, setCtrl] = useState(false);
  const [raw, setRaw] = useState(false);
  const [draft, setDraft] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const send = () => {
    if (!draft.trim() || blocked) return;
    screen()?.say(draft);
    setDraft('');
  };
  // The focus stays where it is, or the keyboard would go away with every key.
  const keep = (event: React.PointerEvent) => event.preventDefault();
  const key = (label: string, act: () => void, name?: string) => (
    <button type="button" key={label} aria-label={name} onPointerDown={keep} onClick={act}>
      {label}
    </button>
  );
  return (
    <div className="touch">
      <div className="keys" role="toolbar" aria-label="Keys">
        {KEYS.map(([label, bytes]) => key(label, () => screen()?.type(bytes)))}
        <button type="button" aria-pressed={ctrl} onPointerDown={keep} onClick={() => setCtrl(!ctrl)}>
          Ctrl
        </button>
        {ARROWS.map(([label, letter, name]) => key(label, () => screen()?.arrow(letter), name))}
        {key('Paste', () => void navigator.clipboard?.readText().then(onPaste, () => field.current?.focus()))}
        {key('Copy', onText, 'Copy text of the terminal')}
        {MORE.map(([label, bytes]) => key(label, () => screen()?.type(bytes)))}
        <button
          type="button"
          aria-pressed={raw}
          onPointerDown={keep}
          onClick={() => {
            setRaw(!raw);
            screen()?.setKeyboard(!raw);
          }}
        >
          Keyboard
        </button>
      </div>
      <div className="composer">
        <textarea
          ref={field}
          className="in"
          rows={1}
          aria-label="Message"
          placeholder={blocked ?? (ctrl ? 'Ctrl and a letter' : 'Message')}
          value={draft}
          onChange={(event) => {
            const { value } = event.target;
            if (ctrl && value.length === draft.length + 1) {
              screen()?.type(withCtrl(value.slice(-1)));
              setCtrl(false);
              return;
            }
            setDraft(value);
          }}
        />
        <button
          type="button"
          className="btn pri"
          disabled={!draft.trim() || !!blocked}
          title={blocked ?? undefined}
          onPointerDown={keep}
          onClick={send}
        >
          Send
        </button>
      </div>
    </div>
  );
}
