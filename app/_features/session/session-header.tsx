'use client';
import { ChevronLeft, Ellipsis, Maximize2 } from 'lucide-react';
import Link from 'next/link';
import { Popover } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Need, Session } from '@/server/contract';
import { api, problemText } from '../../_client/api';
import { useBoard } from '../../_client/board-store';
import { onKeys } from '../../_client/shortcuts';
import { ask, toast } from '../../_ui/asks';
import { Glyph } from '../../_ui/glyph';
import { IconButton } from '../../_ui/icon-button';
import { MenuButton } from '../../_ui/menu-button';
import { modKey } from '../../_ui/mod-key';
import { stateWords, toneOf } from '../../_ui/state-words';
import { PHONE, useMedia } from '../../_ui/use-media';
import { useNow } from '../../_ui/use-now';
import { archive } from '../history';
import { Why } from './why';

const INTERRUPTIBLE: readonly Session['state'][] = ['starting', 'working', 'waiting'];
/** How long "really?" stands before it is forgotten. */
const SURE_MS = 6_000;

function Name({ session }: { session: Session }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(
    () =>
      onKeys({
        e: () => {
          field.current?.focus();
          field.current?.select();
        },
      }),
    [],
  );
  const rename = async (name: string, before: string | null) => {
    try {
      await api().sessions.rename.mutate({ id: session.id, name });
      if (before) toast('Renamed.', { label: 'Undo', run: () => void rename(before, null) });
    } catch (error) {
      if (field.current) field.current.value = session.name;
      toast(problemText(error));
    }
  };
  return (
    <input
      ref={field}
      className="name"
      aria-label="Name of the session"
      title="Rename (E)"
      defaultValue={session.name}
      key={session.name}
      maxLength={80}
      enterKeyHint="done"
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.preventDefault();
          event.currentTarget.value = session.name;
          event.currentTarget.blur();
        }
      }}
      onBlur={(event) => {
        const name = event.currentTarget.value.trim();
        if (name && name !== session.name) void rename(name, session.name);
        else event.currentTarget.value = session.name;
      }}
    />
  );
}

/** Everything about a session that is not its terminal: where it works, what it does, and how to stop it. */
export function SessionHeader({
  session,
  needs,
  faces,
}: {
  session: Session;
  needs: readonly Need[];
  faces: ReactNode;
}) {
  const board = useBoard();
  const now = useNow();
  const phone = useMedia(PHONE);
  const [sure, setSure] = useState<'interrupt' | 'end' | null>(null);
  const [busy, setBusy] = useState(false);
  const [more, setMore] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: any act closes the sheet it was chosen from.
  useEffect(() => setMore(false), [sure, busy]);
  const project = board.projects.get(session.projectId ?? '');
  const worktree = board.worktrees.get(session.worktreeId ?? '');
  const vendor = board.vendors.find((v) => v.id === session.vendor);
  const tone = toneOf(session, needs);
  const running = session.state !== 'exited';
  const interruptible =
    running && session.kind === 'agent' && needs.length === 0 && INTERRUPTIBLE.includes(session.state);

  const act = async (what: () => Promise<unknown>, done?: string) => {
    setBusy(true);
    try {
      await what();
      if (done) toast(done);
    } catch (error) {
      toast(problemText(error));
    } finally {
      setBusy(false);
      setSure(null);
    }
  };
  const interrupt = () => void act(() => api().sessions.interrupt.mutate({ id: session.id }));
  const end = () => void act(() => api().sessions.end.mutate({ id: session.id }), `Ended ${session.name}.`);
  const resume = () => void act(() => api().sessions.resume.mutate({ id: session.id }));

  // The same keys twice: the first asks, the second does.
  const press = useRef(() => {});
  press.current = () => {
    if (!interruptible || busy) return;
    if (sure === 'interrupt') interrupt();
    else setSure('interrupt');
  };
  useEffect(() => onKeys({ 'mod+.': () => press.current() }), []);
  useEffect(() => {
    if (!sure) return;
    const timer = setTimeout(() => setSure(null), SURE_MS);
    return () => clearTimeout(timer);
  }, [sure]);

  const where = [
    vendor?.short ?? (session.kind === 'terminal' ? 'Terminal' : session.vendor),
    project?.name,
    worktree?.branch ? `${worktree.branch}${worktree.base ? ` ← ${worktree.base}` : ''}` : null,
  ].filter(Boolean);
  const acts = (
    <>
      {interruptible ? (
        <button
          type="button"
          className="btn"
          disabled={busy}
          title={`Interrupt (${modKey()}.)`}
          onClick={() => setSure('interrupt')}
        >
          Interrupt <kbd>{modKey()}.</kbd>
        </button>
      ) : null}
      {running ? (
        <button type="button" className="btn ghost" disabled={busy} onClick={() => setSure('end')}>
          End …
        </button>
      ) : (
        <>
          {session.resumable ? (
            <button type="button" className="btn pri" disabled={busy} onClick={resume}>
              Resume
            </button>
          ) : null}
          <button type="button" className="btn ghost" onClick={() => archive(session, !session.archived)}>
            {session.archived ? 'Put back' : 'Archive'}
          </button>
        </>
      )}
    </>
  );
  return (
    <>
      <header className="bar">
        <MenuButton />
        {phone ? (
          <Link className="btn ghost icon" href="/" aria-label="Back to the board">
            <ChevronLeft aria-hidden="true" />
          </Link>
        ) : (
          <Link className="sub crumb" href="/">
            Board <span aria-hidden="true">/</span>
          </Link>
        )}
        <h1 className="sr-only">{session.name}</h1>
        <Name session={session} />
        <span className="sub wide-only" title={session.cwd}>
          {where.join(' · ')}
        </span>
        <span className="sp" />
        <Popover.Root>
          <Popover.Trigger className={`st num ${tone}`} title="Why this state">
            <Glyph state={tone === 'need' ? 'needs-you' : session.state} />
            {stateWords(session, needs, now)}
          </Popover.Trigger>
          <Why session={session} />
        </Popover.Root>
        {phone ? null : faces}
        {phone ? (
          <Popover.Root open={more} onOpenChange={setMore}>
            <Popover.Trigger className="btn ghost icon" aria-label="More">
              <Ellipsis aria-hidden="true" />
            </Popover.Trigger>
            <Popover.Portal>
              <Popover.Content className="why-pop sheet" align="end" sideOffset={6} collisionPadding={12}>
                <p className="hint">{where.join(' · ')}</p>
                <p className="hint mono">{session.cwd}</p>
                <div className="acts-column">{acts}</div>
              </Popover.Content>
            </Popover.Portal>
          </Popover.Root>
        ) : (
          <>
            {acts}
            {session.pane ? (
              <IconButton
                label="The terminal takes the whole window (F)"
                icon={Maximize2}
                onClick={() => ask('full')}
              />
            ) : null}
          </>
        )}
      </header>
      {phone && faces ? <div className="face-row">{faces}</div> : null}
      {sure ? (
        <div className="sure-bar" role="alertdialog" aria-label={sure === 'end' ? 'End' : 'Interrupt'}>
          <span>
            {sure === 'end'
              ? session.kind === 'terminal'
                ? 'End it? What runs in this terminal is stopped. The files stay.'
                : 'End it? The agent is stopped. Its worktree, branch and conversation stay.'
              : 'Interrupt the agent? It stops what it is doing and waits for you.'}
          </span>
          <span className="sp" />
          <button type="button" className="btn ghost" onClick={() => setSure(null)}>
            Cancel
          </button>
          <button
            type="button"
            className={`btn ${sure === 'end' ? 'danger' : 'pri'}`}
            disabled={busy}
            onClick={sure === 'end' ? end : interrupt}
          >
            {sure === 'end' ? 'End' : 'Interrupt'}
          </button>
        </div>
      ) : null}
    </>
  );
}
