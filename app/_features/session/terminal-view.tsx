'use client';
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'react';
import type { Session, TerminalInfo } from '@/server/contract';
import { readFontSize } from '../../_client/preferences';
import { type TerminalHandle, terminals } from '../../_client/terminal-connection';
import { themeFromTokens } from './terminal-theme';
import { touchScroll } from './touch-scroll';

const encoder = new TextEncoder();
const KEYS: readonly [string, string][] = [
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['⇧Tab', '\x1b[Z'],
  ['⌃C', '\x03'],
  ['↑', '\x1b[A'],
  ['↓', '\x1b[B'],
  ['←', '\x1b[D'],
  ['→', '\x1b[C'],
  ['/', '/'],
  ['|', '|'],
  ['↵', '\r'],
];

type Ask = { what: 'paste'; text: string } | { what: 'link'; url: string } | { what: 'copy'; text: string };

export function TerminalView({ session }: { session: Session }) {
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<TerminalHandle | null>(null);
  const screen = useRef<{ term: Terminal; fit: FitAddon; search: SearchAddon } | null>(null);
  const [connected, setConnected] = useState(true);
  const [info, setInfo] = useState<TerminalInfo>({});
  const [ask, setAsk] = useState<Ask | null>(null);
  const [find, setFind] = useState(false);
  const [ctrl, setCtrl] = useState(false);
  const ctrlRef = useRef(false);
  ctrlRef.current = ctrl;
  const isShell = session.kind === 'terminal';

  // biome-ignore lint/correctness/useExhaustiveDependencies: one screen per pane; a change of state needs no new one.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const term = new Terminal({
      allowProposedApi: true,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
      fontSize: readFontSize(),
      lineHeight: 1.2,
      scrollback: 10_000,
      cursorBlink: false,
      theme: themeFromTokens(),
      screenReaderMode: false,
      linkHandler: { activate: (_, url) => /^https?:/.test(url) && setAsk({ what: 'link', url }) },
    });
    const fit = new FitAddon();
    const search = new SearchAddon();
    term.loadAddon(fit);
    term.loadAddon(search);
    term.loadAddon(new UnicodeGraphemesAddon());
    term.loadAddon(new WebLinksAddon((_, url) => /^https?:/.test(url) && setAsk({ what: 'link', url })));
    term.open(element);
    screen.current = { term, fit, search };
    // For tests and for a person's own tools: the screen as text. It holds nothing that is not on it.
    (element as HTMLElement & { terminal?: Terminal }).terminal = term;

    let owner: TerminalInfo['owner'] = 'none';
    let claimed = false;
    let fitted = '';
    const wish = (claim: boolean) => {
      const size = fit.proposeDimensions();
      if (!size || !Number.isFinite(size.cols) || size.cols < 2 || size.rows < 2) return;
      const key = `${size.cols}x${size.rows}`;
      if (!claim && key === fitted) return;
      fitted = key;
      handle.current?.size(size.cols, size.rows, claim);
    };
    const take = () => {
      owner = 'you';
      wish(true);
    };
    (element as HTMLElement & { takeSize?: () => void }).takeSize = take;

    const opened = terminals().open(session.id, {
      frame: (frame) => {
        const size = frame.bytes.length;
        const done = () => opened.ack(size);
        if (frame.type === 'snap') {
          // Reset and resize go through the same queue as the bytes: called directly they overtake what is queued.
          term.write('\x1bc', () => {
            if (term.cols !== frame.cols || term.rows !== frame.rows) term.resize(frame.cols, frame.rows);
          });
          term.write(frame.bytes, done);
        } else term.write(frame.bytes, done);
      },
      info: (news) => {
        if (news.owner) {
          owner = news.owner;
          // Nobody decides this terminal's size yet: a desk takes it, a phone waits to be asked.
          if (owner === 'none' && !claimed && innerWidth >= 768 && session.state !== 'exited') {
            claimed = true;
            take();
          }
        }
        if (news.clipboard) setAsk({ what: 'copy', text: news.clipboard });
        if (news.bell) element.animate([{ opacity: 0.6 }, { opacity: 1 }], 120);
        setInfo((before) => ({ ...before, ...news }));
      },
      connected: setConnected,
    });
    handle.current = opened;

    const typed = (text: string) => {
      let data = text;
      if (ctrlRef.current && data.length === 1) {
        data = String.fromCharCode((data.toUpperCase().codePointAt(0) ?? 0) & 31);
        setCtrl(false);
      }
      if (owner !== 'you' && innerWidth >= 768) take();
      opened.input(encoder.encode(data));
    };
    term.onData(typed);
    term.onBinary((data) => opened.input(Uint8Array.from(data, (c) => c.charCodeAt(0))));
    const paste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain');
      if (!text) return;
      event.preventDefault();
      event.stopPropagation();
      if (isShell && /\n./.test(text.trim())) setAsk({ what: 'paste', text });
      else opened.paste(encoder.encode(text));
    };
    element.addEventListener('paste', paste, true);
    term.attachCustomKeyEventHandler((event) => {
      if (event.type !== 'keydown') return true;
      if ((event.metaKey || (event.ctrlKey && event.shiftKey)) && event.key.toLowerCase() === 'f') {
        event.preventDefault();
        setFind(true);
        return false;
      }
      if ((event.metaKey || (event.ctrlKey && event.shiftKey)) && event.key.toLowerCase() === 'c') {
        if (term.hasSelection()) void navigator.clipboard.writeText(term.getSelection());
        event.preventDefault();
        return false;
      }
      // The browser's own paste event follows; xterm must not send ^V instead.
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'v') return false;
      return true;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      // A keyboard that slides in resizes many times; only where it ends counts.
      timer = setTimeout(() => owner === 'you' && wish(false), 150);
    });
    observer.observe(element);
    const stopTouch = touchScroll(term, element);
    const themes = new MutationObserver(() => {
      term.options.theme = themeFromTokens();
    });
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    if (innerWidth >= 768) term.focus();
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      themes.disconnect();
      stopTouch();
      element.removeEventListener('paste', paste, true);
      opened.close();
      term.dispose();
      screen.current = null;
    };
  }, [session.id, session.pane]);

  const takeSize = () => (box.current as (HTMLElement & { takeSize?: () => void }) | null)?.takeSize?.();
  const settle = (act: () => void) => {
    act();
    setAsk(null);
    screen.current?.term.focus();
  };
  return (
    <>
      <div className="term" ref={box} data-terminal={session.id} data-owner={info.owner} />
      {find ? (
        <div className="term-find">
          <input
            className="in"
            aria-label="Find in the terminal"
            // biome-ignore lint/a11y/noAutofocus: opened by the person, to type into.
            autoFocus
            onChange={(event) =>
              screen.current?.search.findPrevious(event.target.value, { incremental: true })
            }
            onKeyDown={(event) => {
              if (event.key === 'Escape') setFind(false);
              if (event.key === 'Enter') {
                const { value } = event.currentTarget;
                if (event.shiftKey) screen.current?.search.findNext(value);
                else screen.current?.search.findPrevious(value);
              }
            }}
          />
          <button type="button" className="btn ghost" onClick={() => setFind(false)}>
            Close
          </button>
        </div>
      ) : null}
      {ask ? (
        <div className="term-bar" role="alertdialog" aria-label="The terminal asks">
          {ask.what === 'paste' ? (
            <>
              Paste {ask.text.split('\n').length} lines into this shell? It may run them.
              <button
                type="button"
                className="btn"
                onClick={() => settle(() => handle.current?.paste(encoder.encode(ask.text)))}
              >
                Paste
              </button>
            </>
          ) : ask.what === 'link' ? (
            <>
              Open <span className="mono">{ask.url}</span>?
              <button
                type="button"
                className="btn"
                onClick={() => settle(() => void window.open(ask.url, '_blank', 'noopener,noreferrer'))}
              >
                Open
              </button>
            </>
          ) : (
            <>
              The program wants to copy {ask.text.length} characters to your clipboard.
              <button
                type="button"
                className="btn"
                onClick={() => settle(() => void navigator.clipboard.writeText(ask.text))}
              >
                Copy
              </button>
            </>
          )}
          <button type="button" className="btn ghost" onClick={() => settle(() => {})}>
            Cancel
          </button>
        </div>
      ) : null}
      {!connected || info.flood || info.owner === 'other' || info.owner === 'none' || info.gone ? (
        <div className="term-bar">
          {connected ? null : <span role="status">Reconnecting …</span>}
          {info.gone ? <span>This terminal is not there.</span> : null}
          {info.flood ? <span>Much output: showing about 20 pictures a second.</span> : null}
          {info.owner === 'other' || (info.owner === 'none' && info.cols) ? (
            <>
              <span className="num">
                {info.owner === 'other' ? 'Sized for another screen' : 'Sized earlier'} ({info.cols} ×{' '}
                {info.rows})
              </span>
              <button type="button" className="btn" onClick={takeSize}>
                Fit to this screen
              </button>
            </>
          ) : null}
        </div>
      ) : null}
      <div className="keys" role="toolbar" aria-label="Keys">
        <button
          type="button"
          aria-pressed={ctrl}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => setCtrl(!ctrl)}
        >
          Ctrl
        </button>
        {KEYS.map(([label, bytes]) => (
          <button
            type="button"
            key={label}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => handle.current?.input(encoder.encode(bytes))}
          >
            {label}
          </button>
        ))}
        <button
          type="button"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() =>
            void navigator.clipboard.readText().then((text) => handle.current?.paste(encoder.encode(text)))
          }
        >
          Paste
        </button>
      </div>
    </>
  );
}
