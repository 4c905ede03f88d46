'use client';
import './composer.css';
import { useEffect, useRef, useState } from 'react';
import type { Message, Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { useHostInfo } from '../../_client/host-info';
import { onKeys } from '../../_client/shortcuts';
import { modKey } from '../../_ui/mod-key';
import { useMedia } from '../../_ui/use-media';
import { newMessageId } from './new-message-id';
import { useDraft } from './use-draft';

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
  const { text, change, kept } = useDraft(session.id, board.ready);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** The message that could not be sent: tried again under the same name, so that it is never two. */
  const failed = useRef<{ id: string; text: string } | null>(null);
  const vendor = board.vendors.find((one) => one.id === session.vendor);
  const permission = vendor?.permissions.find((one) => one.id === session.permission);
  const over = session.state === 'exited' && !session.resumable;

  useEffect(
    () =>
      onKeys({
        r: () => field.current?.focus(),
      }),
    [],
  );

  const send = async () => {
    const words = text.trim();
    if (!words || busy || over) return;
    const id = failed.current?.text === words ? failed.current.id : newMessageId();
    setBusy(true);
    setProblem(null);
    try {
      await api().messages.send.mutate({ sessionId: session.id, id: id as Message['id'], text: words });
      failed.current = null;
      change('');
    } catch (error) {
      failed.current = { id, text: words };
      setProblem(`Not sent. ${problemText(error)}`);
    } finally {
      setBusy(false);
      field.current?.focus();
    }
  };
  return (
    <div className="comp">
      <div className="col">
        <div className="box">
          <textarea
            ref={field}
            aria-label={`Message to ${session.name}`}
            placeholder={over ? 'The agent has ended' : 'Message'}
            rows={1}
            enterKeyHint={touch ? 'enter' : 'send'}
            disabled={over}
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              const wanted = event.metaKey || event.ctrlKey || (!touch && !event.shiftKey && !event.altKey);
              if (!wanted) return;
              event.preventDefault();
              void send();
            }}
          />
          <div className="tools">
            <span className="sp" />
            <span className="fact">{session.mode === 'planner' ? 'Planner' : 'Build'}</span>
            {permission ? <span className="fact wide-only">{permission.label}</span> : null}
            {session.contextPct !== null ? (
              <span className="fact num">{Math.round(session.contextPct)} % context</span>
            ) : null}
            <button
              type="button"
              className="btn pri"
              disabled={!text.trim() || busy || over}
              onClick={() => void send()}
            >
              Send {touch ? null : <kbd>{modKey()}↵</kbd>}
            </button>
          </div>
        </div>
        <div className="under">
          <span role={problem ? 'alert' : undefined} className={problem ? 'problem' : undefined}>
            {problem ??
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
