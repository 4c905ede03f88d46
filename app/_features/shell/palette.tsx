'use client';
import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { openNeedsOf, useBoard } from '../../_client/board-store';
import { setTheme } from '../../_client/theme';
import { ask } from '../../_ui/asks';
import { Glyph } from '../../_ui/glyph';
import { stateWords, toneOf } from '../../_ui/state-words';
import { useNow } from '../../_ui/use-now';

export function Palette({ onClose }: { onClose: () => void }) {
  const board = useBoard();
  const router = useRouter();
  const now = useNow();
  const go = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog palette" aria-describedby={undefined}>
          <Dialog.Title className="sr-only">Find</Dialog.Title>
          <Command label="Find" loop>
            <Command.Input placeholder="Find a session or a command" />
            <Command.List>
              <Command.Empty>Nothing found.</Command.Empty>
              <Command.Group heading="Sessions">
                {[...board.sessions.values()]
                  .sort((a, b) => b.since - a.since)
                  .map((session) => {
                    const needs = openNeedsOf(board, session.id);
                    const tone = toneOf(session, needs);
                    const project = board.projects.get(session.projectId ?? '')?.name ?? '';
                    return (
                      <Command.Item
                        key={session.id}
                        value={`${session.name} ${project} ${session.id}`}
                        onSelect={go(() => router.push(`/session?id=${session.id}`))}
                      >
                        <Glyph state={tone === 'need' ? 'needs-you' : session.state} />
                        {session.name}
                        <span className="hint">{project}</span>
                        <span className={`st num sp ${tone}`}>{stateWords(session, needs, now)}</span>
                      </Command.Item>
                    );
                  })}
              </Command.Group>
              <Command.Group heading="Commands">
                <Command.Item onSelect={go(() => ask('start'))}>New session</Command.Item>
                <Command.Item onSelect={go(() => router.push('/'))}>Board</Command.Item>
                <Command.Item onSelect={go(() => router.push('/needs'))}>Needs you</Command.Item>
                <Command.Item onSelect={go(() => router.push('/settings'))}>
                  Settings and devices
                </Command.Item>
                <Command.Item onSelect={go(() => ask('help'))}>Keys</Command.Item>
                <Command.Item onSelect={go(() => setTheme('dark'))}>Theme: dark</Command.Item>
                <Command.Item onSelect={go(() => setTheme('light'))}>Theme: light</Command.Item>
                <Command.Item onSelect={go(() => setTheme('system'))}>Theme: as the system</Command.Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
