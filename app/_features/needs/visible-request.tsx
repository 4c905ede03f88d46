'use client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { visiblePieces } from '../../_ui/visible-text';

/**
 * The text of a request with nothing hidden in it. It wraps, and scrolls when it is long; `onRead` is called once its
 * end was on the screen.
 */
export function VisibleText({ text, onRead }: { text: string; onRead: () => void }) {
  const box = useRef<HTMLPreElement>(null);
  const read = useRef(onRead);
  read.current = onRead;
  const [long, setLong] = useState(false);
  const pieces = useMemo(() => visiblePieces(text), [text]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      // Not laid out: everything measures zero, and nothing has been read.
      if (element.clientHeight === 0) return;
      setLong(element.scrollHeight > element.clientHeight + 4);
      if (element.scrollTop + element.clientHeight >= element.scrollHeight - 4) read.current();
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long request must be scrollable by keyboard. */}
      <pre className="mono" ref={box} tabIndex={0}>
        {pieces.map((piece, i) => {
          const key = `${i} ${piece.text.length}`;
          if (!piece.hidden && !piece.script) return <span key={key}>{piece.text}</span>;
          return (
            <mark
              key={key}
              title={piece.script ? `A ${piece.script} letter` : 'A character that cannot be seen'}
            >
              {piece.text}
            </mark>
          );
        })}
        {long ? <span className="end">end of the request</span> : null}
      </pre>
      {pieces.some((piece) => piece.hidden) ? (
        <p className="odd">It holds characters that cannot be seen; they are marked.</p>
      ) : null}
      {pieces.some((piece) => piece.script) ? (
        <p className="odd">It holds letters that look like others; they are marked.</p>
      ) : null}
    </>
  );
}

/** A short text in which nothing hides, in a line. */
export const VisibleRule = ({ text }: { text: string }) => (
  <code className="mono">
    {visiblePieces(text)
      .map((piece) => piece.text)
      .join('')}
  </code>
);
