'use client';
import { type ComponentProps, memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import remarkGfm from 'remark-gfm';
import { toast } from '../../_ui/asks';
import { visiblePieces } from '../../_ui/visible-text';

const SAFE = /^(https?:|mailto:)/i;

/** A link shows where it really goes: its text is the agent's word, and agents read what strangers write. */
function Anchor({ href, children }: ComponentProps<'a'>) {
  if (!href || !SAFE.test(href)) return <span>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Never loaded: fetching it would tell its server what is in the address (S-41). */
const Picture = ({ src, alt }: ComponentProps<'img'>) => (
  <span className="no-image" title={typeof src === 'string' ? src : undefined}>
    {alt ? `Image: ${alt}` : 'Image'}
    {typeof src === 'string' && SAFE.test(src) ? (
      <>
        {' '}
        <Anchor href={src}>{new URL(src).host}</Anchor>
      </>
    ) : null}
  </span>
);

function Code(props: ComponentProps<'pre'>) {
  const copy = (event: React.MouseEvent<HTMLButtonElement>) => {
    const code = event.currentTarget.parentElement?.querySelector('code')?.textContent ?? '';
    void navigator.clipboard.writeText(code.replace(/\n$/, '')).then(
      () => toast('Copied.'),
      () => toast('The browser did not let the text be copied.'),
    );
  };
  return (
    <div className="code">
      <button type="button" className="btn ghost" onClick={copy}>
        Copy
      </button>
      <pre>{props.children}</pre>
    </div>
  );
}

const COMPONENTS: Components = {
  a: Anchor,
  img: Picture,
  pre: Code,
  table: ({ children }) => (
    <div className="table">
      <table>{children}</table>
    </div>
  ),
};

/** Characters that hide or turn text around are shown by name; line ends and tabs are text. */
const plain = (text: string): string =>
  visiblePieces(text)
    .map((piece) =>
      piece.hidden && !/^U\+(?:00A0|202F|2009|200D|FE0F)$/.test(piece.text) ? `⟨${piece.text}⟩` : piece.text,
    )
    .join('');

const HIDING = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** Markdown of an agent. No raw HTML (the library leaves it as text), no remote images, no script links. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="md">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[rehypeHighlight, { detect: false }]]}
        components={COMPONENTS}
      >
        {HIDING.test(text) ? plain(text) : text}
      </ReactMarkdown>
    </div>
  );
});
