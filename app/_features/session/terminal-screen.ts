import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import type { TerminalInfo } from '@/server/contract';
import { isOn } from '../../_client/preferences';
import { terminals } from '../../_client/terminal-connection';
import { message } from '../../_ui/clean-paste';
import { phoneInput } from './phone-input';
import { showFrame } from './show-frame';
import { themeFromTokens } from './terminal-theme';
import { touchScroll } from './touch-scroll';

export interface ScreenOptions {
  sessionId: string;
  fontSize: number;
  /** A desk takes the size of a terminal that nobody decides; a phone waits to be asked. */
  desk: boolean;
  onInfo(news: TerminalInfo): void;
  onConnected(yes: boolean): void;
  onLink(url: string): void;
  onPaste(text: string): void;
  onFind(): void;
  onCopy(text: string): void;
}

/** What the parts around the terminal may do with it; the renderer stays behind this. */
export interface Screen {
  type(text: string): void;
  paste(text: string): void;
  /** A whole message and Enter, in one piece. */
  say(text: string): void;
  arrow(letter: 'A' | 'B' | 'C' | 'D'): void;
  focus(): void;
  takeSize(): void;
  setFontSize(size: number): void;
  find(text: string, forward: boolean, incremental?: boolean): void;
  endFind(): void;
  selection(): string;
  /** What is on the screen and above it, as text. */
  text(lines: number): string;
  /** Whether touching the terminal brings up the keyboard. */
  setKeyboard(on: boolean): void;
  dispose(): void;
}

const encoder = new TextEncoder();
const LEAST_FONT = 7;
/** A keyboard that slides in resizes many times; only where it ends counts. */
const RESIZE_MS = 150;
const isWeb = (url: string) => /^https?:\/\//i.test(url);

/** Draws one session's terminal into `element` until disposed. */
export function openScreen(element: HTMLElement, options: ScreenOptions): Screen {
  let wished = options.fontSize;
  let owner: TerminalInfo['owner'];
  let fitted = '';
  let mayTake = options.desk;

  const link = (_: MouseEvent, url: string) => {
    if (isWeb(url)) options.onLink(url);
  };
  const term = new Terminal({
    allowProposedApi: true,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
    fontSize: wished,
    lineHeight: 1.2,
    scrollback: 10_000,
    cursorBlink: false,
    theme: themeFromTokens(),
    screenReaderMode: isOn('terminal-reader'),
    linkHandler: { activate: link },
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  term.loadAddon(fit);
  term.loadAddon(search);
  term.loadAddon(new UnicodeGraphemesAddon());
  term.loadAddon(new WebLinksAddon(link));
  term.open(element);
  if (options.desk && isOn('terminal-gpu')) void drawWithGpu(term);
  // For tests and for a person's own tools: the screen as text. It holds nothing that is not on it.
  (element as HTMLElement & { terminal?: Terminal }).terminal = term;

  const wish = (claim: boolean) => {
    if (term.options.fontSize !== wished) term.options.fontSize = wished;
    const size = fit.proposeDimensions();
    if (!size || !Number.isFinite(size.cols) || size.cols < 2 || size.rows < 2) return;
    const key = `${size.cols}x${size.rows}`;
    if (!claim && key === fitted) return;
    fitted = key;
    handle.size(size.cols, size.rows, claim);
  };
  const take = () => {
    owner = 'you';
    wish(true);
  };
  /** A terminal sized for another screen is drawn smaller as far as it can be read; the rest can be dragged into sight. */
  const adapt = () => {
    if (owner === 'you') return;
    const width = element.querySelector('.xterm-screen')?.clientWidth ?? 0;
    const now = term.options.fontSize ?? wished;
    if (width === 0) return;
    const fits = Math.floor((now * element.clientWidth) / width);
    const size = Math.max(Math.min(LEAST_FONT, wished), Math.min(wished, fits));
    if (size !== now) term.options.fontSize = size;
  };

  const handle = terminals().open(options.sessionId, {
    frame: (frame) => {
      const size = frame.bytes.length;
      showFrame(term, frame, { resized: adapt, done: () => handle.ack(size) });
    },
    info: (news) => {
      if (news.owner) {
        const was = owner;
        owner = news.owner;
        if (owner === 'you') mayTake = false;
        // Nobody decides this size: at first a desk takes it, and after a cut of the line whoever had it has it again.
        if (owner === 'none' && (mayTake || was === 'you')) {
          mayTake = false;
          take();
        }
      }
      if (news.bell) element.animate([{ opacity: 0.6 }, { opacity: 1 }], 120);
      options.onInfo(news);
    },
    connected: options.onConnected,
  });

  const type = (text: string) => {
    if (owner !== 'you' && options.desk) take();
    handle.input(encoder.encode(text));
  };
  /** Pasted, so that tmux brackets it if the program asked for that, with its Enter behind it. */
  const say = (text: string) => {
    if (owner !== 'you' && options.desk) take();
    handle.paste(encoder.encode(message(text)), encoder.encode('\r'));
  };
  const phone =
    term.textarea && matchMedia('(pointer: coarse)').matches
      ? phoneInput(element, term.textarea, type)
      : null;
  term.onData((data) => {
    phone?.sent();
    type(data);
  });
  term.onBinary((data) => handle.input(Uint8Array.from(data, (c) => c.charCodeAt(0))));

  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain');
    if (!text) return;
    event.preventDefault();
    event.stopPropagation();
    options.onPaste(text);
  };
  element.addEventListener('paste', onPaste, true);
  term.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown') return true;
    // A phone's keyboard does not say which key it was; what it changed tells.
    if (phone && event.keyCode === 229 && !phone.composing()) return false;
    const key = event.key.toLowerCase();
    if (event.key === 'Enter' && event.shiftKey && !event.ctrlKey && !event.metaKey) {
      // What agents read as "new line, do not send".
      event.preventDefault();
      type('\x1b\r');
      return false;
    }
    if (event.metaKey || (event.ctrlKey && event.shiftKey)) {
      if (key === 'f') {
        event.preventDefault();
        options.onFind();
        return false;
      }
      if (key === 'c') {
        event.preventDefault();
        if (term.hasSelection()) options.onCopy(term.getSelection());
        return false;
      }
      // Ours and the browser's; the program gets none of them. Ctrl-Shift with arrows and the like is its own.
      if (event.metaKey || key.length === 1) return false;
    }
    // The browser's own paste event follows; xterm must not send ^V instead.
    if (event.ctrlKey && key === 'v') return false;
    return true;
  });

  let timer: ReturnType<typeof setTimeout> | undefined;
  const resized = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (owner === 'you' ? wish(false) : adapt()), RESIZE_MS);
  };
  const observer = new ResizeObserver(resized);
  observer.observe(element);
  const stopTouch = touchScroll(term, element);
  const themes = new MutationObserver(() => {
    term.options.theme = themeFromTokens();
  });
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  return {
    type,
    say,
    paste: (text) => {
      if (owner !== 'you' && options.desk) take();
      handle.paste(encoder.encode(text));
    },
    arrow: (letter) => type(`\x1b${term.modes.applicationCursorKeysMode ? 'O' : '['}${letter}`),
    focus: () => term.focus(),
    takeSize: take,
    setFontSize: (size) => {
      wished = size;
      term.options.fontSize = size;
      if (owner === 'you') wish(false);
      else adapt();
    },
    find: (text, forward, incremental = false) => {
      const how = { incremental, decorations: findColours() };
      if (forward) search.findNext(text, how);
      else search.findPrevious(text, how);
    },
    endFind: () => {
      search.clearDecorations();
      term.clearSelection();
    },
    selection: () => term.getSelection(),
    text: (lines) => {
      const { active } = term.buffer;
      const rows: string[] = [];
      for (let y = Math.max(0, active.length - lines); y < active.length; y++) {
        const line = active.getLine(y);
        const text = line?.translateToString(true) ?? '';
        if (line?.isWrapped && rows.length > 0) rows[rows.length - 1] += text;
        else rows.push(text);
      }
      return rows.join('\n').trimEnd();
    },
    setKeyboard: (on) => {
      if (!term.textarea) return;
      term.textarea.inputMode = on ? 'text' : 'none';
      term.textarea.blur();
      if (on) term.focus();
    },
    dispose: () => {
      clearTimeout(timer);
      observer.disconnect();
      themes.disconnect();
      stopTouch();
      phone?.stop();
      element.removeEventListener('paste', onPaste, true);
      handle.close();
      term.dispose();
    },
  };
}

function findColours() {
  const light = document.documentElement.dataset.theme === 'light';
  return light
    ? { matchBackground: '#ffe7b3', activeMatchBackground: '#ffc65c', ...RULER }
    : { matchBackground: '#4a3a12', activeMatchBackground: '#8a6a14', ...RULER };
}
const RULER = { matchOverviewRuler: '#888888', activeMatchColorOverviewRuler: '#ffb224' };

/** The graphics card draws; when it is lost, the plain renderer takes over by itself. */
async function drawWithGpu(term: Terminal): Promise<void> {
  try {
    const { WebglAddon } = await import('@xterm/addon-webgl');
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    term.loadAddon(addon);
  } catch {
    // No WebGL here: what is drawn already stays as it is.
  }
}
