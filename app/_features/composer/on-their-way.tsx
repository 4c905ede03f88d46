'use client';
import { useState } from 'react';
import type { ChatItem, Message, Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { toast } from '../../_ui/asks';
import { clockTime } from '../../_ui/elapsed';
import { useNow } from '../../_ui/use-now';
import { Pictures } from './attachments';
import { newMessageId } from './new-message-id';

/** An accepted message stands here until the agent's own record shows it, and no longer than this. */
const LAG_MS = 10_000;
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The messages of a session that its conversation does not show yet, in the order in which they go out. */
export function useOnTheirWay(session: Session, items: readonly ChatItem[]): Message[] {
  const board = useBoard();
  const now = useNow();
  const mine = [...board.messages.values()].filter((message) => message.sessionId === session.id);
  const shown = items.slice(-40).filter((item) => item.kind === 'user');
  return mine
    .filter((message) => {
      if (message.state === 'removed') return false;
      if (message.state !== 'accepted') return true;
      if (now - message.moved > LAG_MS) return false;
      return !shown.some(
        (item) => (item.at ?? 0) >= message.created - 1_000 && words(item.text) === words(message.text),
      );
    })
    .sort((a, b) => a.place - b.place);
}

const RECEIPT: Record<Message['state'], string> = {
  kept: 'kept',
  typing: 'kept · being typed',
  typed: 'kept · typed',
  accepted: 'accepted',
  unsure: 'not sure',
  removed: 'removed',
};

function Row({ message, first, before }: { message: Message; first: boolean; before: Message | null }) {
  const [edit, setEdit] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const act = async (what: () => Promise<unknown>, undo?: { label: string; run: () => void }) => {
    setBusy(true);
    try {
      await what();
      if (undo) toast('Removed.', undo);
    } catch (error) {
      toast(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  const { id } = message;
  const remove = () =>
    void act(() => api().messages.remove.mutate({ id }), {
      label: 'Undo',
      run: () =>
        void api()
          .messages.send.mutate({
            sessionId: message.sessionId,
            // The removed one is a closed record; its words go out as a new message.
            id: newMessageId() as Message['id'],
            text: message.text,
            ...(message.command ? { command: true } : {}),
            ...(message.images ? { images: message.images } : {}),
          })
          .catch((error: unknown) => toast(problemText(error))),
    });
  const keep = () => {
    const text = edit?.trim();
    if (text !== undefined && (text || message.images) && text !== message.text)
      void act(() => api().messages.edit.mutate({ id, text }));
    setEdit(null);
  };
  return (
    <li className={`way ${message.state}`}>
      {edit === null ? (
        <div className="me">
          {message.images ? (
            <div className="pictures">
              <Pictures session={message.sessionId} images={message.images} />
            </div>
          ) : null}
          {message.text}
        </div>
      ) : (
        <textarea
          className="in me"
          aria-label="Change the message"
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
          autoFocus
          rows={Math.min(10, edit.split('\n').length + 1)}
          value={edit}
          onChange={(event) => setEdit(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setEdit(null);
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) keep();
          }}
        />
      )}
      <div className="rcpt num">
        <span className={message.state === 'unsure' ? 'bad' : undefined}>
          {message.state === 'accepted'
            ? `accepted ${clockTime(message.moved, true)}`
            : [RECEIPT[message.state], message.note].filter(Boolean).join(': ')}
        </span>
        {message.state === 'kept' ? (
          edit === null ? (
            <>
              <button type="button" disabled={busy} onClick={() => setEdit(message.text)}>
                Edit
              </button>
              {!first && before ? (
                <button
                  type="button"
                  disabled={busy}
                  onClick={() => void act(() => api().messages.edit.mutate({ id, before: before.id }))}
                >
                  Earlier
                </button>
              ) : null}
            </>
          ) : (
            <button type="button" onClick={keep}>
              Keep
            </button>
          )
        ) : null}
        {message.state === 'unsure' ? (
          <button
            type="button"
            disabled={busy}
            onClick={() => void act(() => api().messages.retry.mutate({ id }))}
          >
            Send again
          </button>
        ) : null}
        {message.state === 'kept' || message.state === 'unsure' ? (
          <button type="button" disabled={busy} onClick={remove}>
            Remove
          </button>
        ) : null}
      </div>
    </li>
  );
}

/** Messages with their receipts, until the conversation shows them. */
export function OnTheirWay({ messages }: { messages: readonly Message[] }) {
  if (messages.length === 0) return null;
  const kept = messages.filter((message) => message.state === 'kept');
  return (
    <ul className="ways" aria-label="Messages on their way">
      {messages.map((message) => {
        const at = kept.indexOf(message);
        return <Row key={message.id} message={message} first={at === 0} before={kept[at - 1] ?? null} />;
      })}
    </ul>
  );
}
