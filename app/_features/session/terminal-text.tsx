'use client';
import { Dialog } from 'radix-ui';
import { useEffect, useRef } from 'react';

/** The terminal as plain text, to be selected by touch: a long press in the drawn one selects nothing. */
export function TerminalText(props: { text: string; onCopy: (text: string) => void; onClose: () => void }) {
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    box.current?.scrollTo(0, box.current.scrollHeight);
  }, []);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title asChild>
            <h2>Text of the terminal</h2>
          </Dialog.Title>
          <pre className="term-text mono" ref={box}>
            {props.text}
          </pre>
          <div className="foot">
            <span className="sp" />
            <Dialog.Close className="btn ghost">Close</Dialog.Close>
            <button
              type="button"
              className="btn pri"
              onClick={() => {
                props.onCopy(getSelection()?.toString() || props.text);
                props.onClose();
              }}
            >
              Copy
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
