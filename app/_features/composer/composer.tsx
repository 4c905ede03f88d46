'use client';
import './composer.css';
import { AtSign, ImagePlus, Slash } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { commandOf, type Message, type Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { useHostInfo } from '../../_client/host-info';
import { onKeys } from '../../_client/shortcuts';
import { IconButton } from '../../_ui/icon-button';
import { modKey } from '../../_ui/mod-key';
import { useMedia } from '../../_ui/use-media';
import { Attachments } from './attachments';
import { Choices, choiceId, LIST_ID } from './choices';
import { newMessageId } from './new-message-id';
import { put, tokenAt } from './token';
import { useAttachments } from './use-attachments';
import { useCompletion, useEarlier } from './use-completion';
import { useDraft } from './use-draft';

/** How long a list may take to come before Enter sends what stands there. */
const LIST_MS = 600;

/** What becomes of a message that is sent now. */
function fate(session: Session, asks: boolean): string {
  if (session.state === 'exited') {
    return session.resumable
      ? 'The agent has ended: this goes out when it is resumed'
      : 'The agent has ended';
  }
  if (asks) return 'A request is open: this goes out after the answer';
  switch (session.state) {
    case 'working':
      return 'The agent is working: this will be queued';
    case 'starting':
      return 'The agent is starting: this will be queued';
    case 'limit':
      return 'At its limit: this will be queued';
    case 'signed-out':
      return 'Signed out: this will be queued';
    case 'unknown':
      return 'Its state is not known: this will be queued';
    default:
      return '';
  }
}

export function Composer({ session, asks }: { session: Session; asks: boolean }) {
  const board = useBoard();
  const host = useHostInfo(board.ready);
  const touch = useMedia('(pointer: coarse)');
  const field = useRef<HTMLTextAreaElement>(null);
  const { draft, now, change, kept } = useDraft(session.id, board.ready);
  const { text, images } = draft;
  const attached = useAttachments(session.id, now, change);
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** The message that could not be sent: tried again under the same name, so that it is never two. */
  const failed = useRef<{ id: string; what: string } | null>(null);
  const vendor = board.vendors.find((one) => one.id === session.vendor);
  const permission = vendor?.permissions.find((one) => one.id === session.permission);
  const ended = session.state === 'exited' && !session.resumable;
  const pictures = !ended && vendor?.capabilities.takesImages === true;
  const sending = attached.uploads.length > 0;
  const empty = !text.trim() && images.length === 0;
  const [caret, setCaret] = useState(0);
  /** The token whose list the person has closed, by its place: it stays closed until another is begun. */
  const [closed, setClosed] = useState<number | null>(null);
  const [marked, setMarked] = useState(0);
  const typedAt = useRef(0);
  const [focused, setFocused] = useState(false);
  const token = focused && !ended ? tokenAt(text, caret) : null;
  const open = token !== null && token.from !== closed;
  const completion = useCompletion(session.id, open ? token : null);
  const listed = open && completion.choices.length > 0;
  const earlier = useEarlier(session.id);

  useEffect(
    () =>
      onKeys({
        r: () => field.current?.focus(),
      }),
    [],
  );

  /** Puts other text into the box, with the caret where it belongs. */
  const rewrite = (next: string, at: number) => {
    change({ text: next });
    setCaret(at);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(at, at);
    });
  };
  const choose = (index: number) => {
    const choice = completion.choices[index];
    if (!choice || !token) return;
    const done = put(text, token, choice.name);
    setMarked(0);
    rewrite(done.text, done.caret);
  };
  /** A button for who has no such key at hand, or does not know it. */
  const begin = (sign: '@' | '/') => {
    setClosed(null);
    if (sign === '/') rewrite(`/${text.replace(/^\//, '')}`, 1);
    else {
      const at = field.current?.selectionStart ?? text.length;
      const gap = at === 0 || /\s/.test(text[at - 1] ?? '') ? '' : ' ';
      rewrite(`${text.slice(0, at)}${gap}@${text.slice(at)}`, at + gap.length + 1);
    }
  };
  const recall = async (by: 1 | -1) => {
    const found = await earlier.step(by, text).catch(() => null);
    if (found !== null) rewrite(found, found.length);
  };
  /** True when the list or the history took the key. */
  const keyTaken = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const plain = !event.metaKey && !event.ctrlKey && !event.altKey && !event.shiftKey;
    if (!plain || event.nativeEvent.isComposing) return false;
    if (open && event.key === 'Escape') {
      setClosed(token.from);
      return true;
    }
    // Enter right behind the last letter means the list that is just coming, neither the old one nor "send".
    const coming = open && completion.query !== token.query && Date.now() - typedAt.current < LIST_MS;
    if (coming && event.key === 'Enter') return true;
    const down = event.key === 'ArrowDown';
    if (listed) {
      const count = completion.choices.length;
      if (down || event.key === 'ArrowUp') setMarked((marked + (down ? 1 : count - 1)) % count);
      else if (event.key === 'Enter' || event.key === 'Tab') {
        // A command that is written out is sent by Enter, not chosen once more.
        if (event.key === 'Enter' && completion.choices[marked]?.name === token?.query) return false;
        choose(marked);
      } else return false;
      return true;
    }
    if ((down || event.key === 'ArrowUp') && (text === '' || earlier.shows(text))) {
      void recall(down ? -1 : 1);
      return true;
    }
    return false;
  };

  const dropped = (event: DragEvent) => {
    setOver(false);
    if (!pictures || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    attached.add(event.dataTransfer.files);
  };
  const send = async () => {
    const words = text.trim();
    if (empty || busy || ended || sending) return;
    const what = JSON.stringify([words, images]);
    const id = failed.current?.what === what ? failed.current.id : newMessageId();
    setBusy(true);
    setProblem(null);
    try {
      const named = commandOf(words);
      const command =
        named !== null &&
        images.length === 0 &&
        (await api().sessions.commands.query({ id: session.id })).some(({ name }) => name === named);
      await api().messages.send.mutate({
        sessionId: session.id,
        id: id as Message['id'],
        text: words,
        ...(command ? { command } : {}),
        ...(images.length > 0 ? { images } : {}),
      });
      failed.current = null;
      earlier.forget();
      setClosed(null);
      // What was added while it was on its way is the next message's.
      const left = now.current.text.startsWith(text) ? now.current.text.slice(text.length) : now.current.text;
      change({ text: left, images: now.current.images.filter((image) => !images.includes(image)) });
    } catch (error) {
      failed.current = { id, what };
      setProblem(`Not sent. ${problemText(error)}`);
    } finally {
      setBusy(false);
      field.current?.focus();
    }
  };
  const trouble = problem ?? attached.problem;
  return (
    <div className="comp">
      <div className="col">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way more; the button beside it is for every hand. */}
        <div
          className={over ? 'box over' : 'box'}
          onDragOver={(event) => {
            if (!pictures || !event.dataTransfer.types.includes('Files')) return;
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={dropped}
        >
          <Attachments
            session={session.id}
            images={images}
            uploads={attached.uploads}
            onRemove={attached.remove}
            onDrop={attached.drop}
          />
          {open ? (
            <Choices
              label={token.kind === 'file' ? 'Files' : 'Commands'}
              completion={completion}
              marked={marked}
              onChoose={choose}
            />
          ) : null}
          <textarea
            ref={field}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={listed}
            aria-controls={LIST_ID}
            aria-activedescendant={listed ? choiceId(marked) : undefined}
            aria-label={`Message to ${session.name}`}
            placeholder={ended ? 'The agent has ended' : 'Message'}
            rows={1}
            enterKeyHint={touch ? 'enter' : 'send'}
            disabled={ended}
            value={text}
            onChange={(event) => {
              change({ text: event.target.value });
              setCaret(event.target.selectionStart);
              setMarked(0);
              typedAt.current = Date.now();
              if (tokenAt(event.target.value, event.target.selectionStart)?.from !== closed) setClosed(null);
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onPaste={(event) => {
              // Text that comes with a picture of itself, as office programs put it, is meant as text.
              const { files } = event.clipboardData;
              if (!pictures || files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
              event.preventDefault();
              attached.add(files);
            }}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            onKeyDown={(event) => {
              if (keyTaken(event)) {
                event.preventDefault();
                return;
              }
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              const wanted = event.metaKey || event.ctrlKey || (!touch && !event.shiftKey && !event.altKey);
              if (!wanted) return;
              event.preventDefault();
              void send();
            }}
          />
          <div className="tools">
            <IconButton label="Name a file" icon={AtSign} onClick={() => begin('@')} />
            <IconButton label="Run a command of the agent" icon={Slash} onClick={() => begin('/')} />
            {pictures ? (
              <>
                <IconButton label="Add an image" icon={ImagePlus} onClick={() => chooser.current?.click()} />
                <input
                  ref={chooser}
                  type="file"
                  accept="image/*"
                  multiple
                  hidden
                  data-testid="images"
                  onChange={(event) => {
                    attached.add(event.target.files ?? []);
                    event.target.value = ''; // so that the same one can be chosen again
                  }}
                />
              </>
            ) : null}
            <span className="sp" />
            <span className="fact">{session.mode === 'planner' ? 'Planner' : 'Build'}</span>
            {permission ? <span className="fact wide-only">{permission.label}</span> : null}
            {session.contextPct !== null ? (
              <span className="fact num">{Math.round(session.contextPct)} % context</span>
            ) : null}
            <button
              type="button"
              className="btn pri"
              disabled={empty || busy || ended || sending}
              onClick={() => void send()}
            >
              Send {touch ? null : <kbd>{modKey()}↵</kbd>}
            </button>
          </div>
        </div>
        <div className="under">
          <span role={trouble ? 'alert' : undefined} className={trouble ? 'problem' : undefined}>
            {trouble ??
              (kept === 'kept'
                ? `Draft kept on ${host?.hostName ?? 'the host'}`
                : kept === 'not-kept'
                  ? 'Draft not kept yet: the host cannot be reached'
                  : '')}
          </span>
          <span className="sp" />
          <span>{fate(session, asks)}</span>
        </div>
      </div>
    </div>
  );
}
