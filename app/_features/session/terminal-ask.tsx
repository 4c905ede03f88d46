'use client';
import { visiblePieces } from '../../_ui/visible-text';

export type Ask =
  | { what: 'paste'; text: string }
  | { what: 'link'; url: string }
  | { what: 'copy'; text: string };

/** Where a link really leads: the name as it is looked up, with nothing invisible in it. */
function target(url: string): string {
  try {
    return visiblePieces(new URL(url).href)
      .map((piece) => piece.text)
      .join('');
  } catch {
    return url;
  }
}

const WORDS = { paste: 'Paste', link: 'Open', copy: 'Copy' } as const;
const PREVIEW = 3;

/** A question about something the terminal, or what is pasted into it, would do. */
export function TerminalAsk({ ask, onAnswer }: { ask: Ask; onAnswer: (yes: boolean) => void }) {
  const lines = ask.what === 'paste' ? ask.text.trim().split('\n') : [];
  return (
    <div className="term-bar ask" role="alertdialog" aria-label="The terminal asks">
      <div>
        {ask.what === 'paste' ? (
          <>
            Paste {lines.length} lines into this shell? It may run them.
            <pre className="mono">
              {visiblePieces(lines.slice(0, PREVIEW).join('\n'))
                .map((piece) => piece.text)
                .join('')}
              {lines.length > PREVIEW ? `\n… ${lines.length - PREVIEW} more` : ''}
            </pre>
          </>
        ) : ask.what === 'link' ? (
          <>
            Open <span className="mono">{target(ask.url)}</span>?
          </>
        ) : (
          <>The program in this terminal wants to put {ask.text.length} characters on your clipboard.</>
        )}
      </div>
      <span className="sp" />
      <button type="button" className="btn ghost" onClick={() => onAnswer(false)}>
        Cancel
      </button>
      <button type="button" className="btn" onClick={() => onAnswer(true)}>
        {WORDS[ask.what]}
      </button>
    </div>
  );
}
