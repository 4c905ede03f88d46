'use client';
import '@xterm/xterm/css/xterm.css';
import { AArrowDown, AArrowUp, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Session, TerminalInfo } from '@/server/contract';
import { FONT_SIZES, readFontSize, setFontSize } from '../../_client/preferences';
import { toast } from '../../_ui/asks';
import { isManyLines } from '../../_ui/clean-paste';
import { IconButton } from '../../_ui/icon-button';
import { useMedia } from '../../_ui/use-media';
import { type Ask, TerminalAsk } from './terminal-ask';
import { TerminalFind } from './terminal-find';
import { openScreen, type Screen } from './terminal-screen';
import { TerminalText } from './terminal-text';
import { TerminalTouch } from './terminal-touch';

const FONT_PATIENCE_MS = 1_000;
const LINES_OF_TEXT = 500;

/** Cells are measured once: with the fallback font they would be of the wrong width for ever. */
const fontReady = () =>
  Promise.race([
    document.fonts.load('13px "JetBrains Mono Variable"').catch(() => []),
    new Promise((done) => setTimeout(done, FONT_PATIENCE_MS)),
  ]);

const copy = (text: string): void =>
  void navigator.clipboard.writeText(text).then(
    () => toast('Copied.'),
    () => toast('The browser did not let the text be copied.'),
  );

export function TerminalView({ session, blocked }: { session: Session; blocked: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const [connected, setConnected] = useState(true);
  const [info, setInfo] = useState<TerminalInfo>({});
  const [ask, setAsk] = useState<Ask | null>(null);
  const [find, setFind] = useState(false);
  const [text, setText] = useState<string | null>(null);
  const touch = useMedia('(pointer: coarse)');
  const isShell = session.kind === 'terminal';

  const onPaste = (pasted: string) => {
    if (isShell && isManyLines(pasted)) setAsk({ what: 'paste', text: pasted });
    else screen.current?.paste(pasted);
  };
  const paste = useRef(onPaste);
  paste.current = onPaste;

  // biome-ignore lint/correctness/useExhaustiveDependencies: one screen per pane; a change of state needs no new one.
  useEffect(() => {
    let gone = false;
    const coarse = matchMedia('(pointer: coarse)').matches;
    void fontReady().then(() => {
      if (gone || !box.current) return;
      const opened = openScreen(box.current, {
        sessionId: session.id,
        fontSize: readFontSize(),
        desk: innerWidth >= 768 && !coarse,
        onInfo: (news) => {
          // Asked where somebody is: on every other screen it would wait and be answered without its cause.
          if (news.clipboard && document.hasFocus()) setAsk({ what: 'copy', text: news.clipboard });
          setInfo((before) => ({ ...before, ...news }));
        },
        onConnected: setConnected,
        onLink: (url) => setAsk({ what: 'link', url }),
        onPaste: (pasted) => paste.current(pasted),
        onFind: () => setFind(true),
        onCopy: copy,
      });
      screen.current = opened;
      if (coarse) opened.setKeyboard(false);
      else opened.focus();
    });
    return () => {
      gone = true;
      screen.current?.dispose();
      screen.current = null;
    };
  }, [session.id, session.pane]);

  const answer = (yes: boolean) => {
    if (yes && ask?.what === 'paste') screen.current?.paste(ask.text);
    if (yes && ask?.what === 'link') window.open(ask.url, '_blank', 'noopener,noreferrer');
    if (yes && ask?.what === 'copy') copy(ask.text);
    setAsk(null);
    if (!touch) screen.current?.focus();
  };
  const resize = (by: number) => {
    const size = Math.min(FONT_SIZES.most, Math.max(FONT_SIZES.least, readFontSize() + by));
    setFontSize(size);
    screen.current?.setFontSize(size);
  };
  const foreign = info.owner === 'other' || (info.owner === 'none' && info.cols !== undefined);
  return (
    <>
      <div className="term-box">
        <div className="term" ref={box} data-terminal={session.id} data-owner={info.owner} />
        {find ? (
          <TerminalFind
            onFind={(wanted, forward, incremental) => screen.current?.find(wanted, forward, incremental)}
            onClose={() => {
              setFind(false);
              screen.current?.endFind();
              screen.current?.focus();
            }}
          />
        ) : null}
      </div>
      {ask ? <TerminalAsk ask={ask} onAnswer={answer} /> : null}
      <div className="term-bar">
        <div className="term-state" aria-live="polite">
          {connected ? null : <span>Reconnecting …</span>}
          {info.gone && session.pane ? <span>This terminal is not there.</span> : null}
          {info.flood ? <span>Much output: showing about 20 pictures a second.</span> : null}
          {foreign ? (
            <span className="num">
              {info.owner === 'other' ? 'Sized for another screen' : 'Sized earlier'} ({info.cols} ×{' '}
              {info.rows})
            </span>
          ) : null}
          {info.owner === 'you' && info.cols ? (
            <span className="num" title="This screen decides the size of the terminal">
              Sized for this screen ({info.cols} × {info.rows})
            </span>
          ) : null}
        </div>
        {foreign ? (
          <button type="button" className="btn" onClick={() => screen.current?.takeSize()}>
            Fit to this screen
          </button>
        ) : null}
        <span className="sp" />
        <IconButton label="Find in the terminal" icon={Search} onClick={() => setFind(true)} />
        <IconButton label="Smaller text" icon={AArrowDown} onClick={() => resize(-1)} className="wide-only" />
        <IconButton label="Larger text" icon={AArrowUp} onClick={() => resize(1)} className="wide-only" />
      </div>
      {touch ? (
        <TerminalTouch
          screen={() => screen.current}
          blocked={blocked}
          onText={() => setText(screen.current?.text(LINES_OF_TEXT) ?? '')}
          onPaste={onPaste}
        />
      ) : null}
      {text === null ? null : <TerminalText text={text} onCopy={copy} onClose={() => setText(null)} />}
    </>
  );
}
