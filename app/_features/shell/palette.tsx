'use client';
import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import { useBoard } from '../../_client/board-store';
import { openStart } from '../start';

export function Palette({ onClose }: { onClose: () => void }) {
  const board = useBoard();
  const router = useRouter();
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
          <Command label="Find">
            <Command.Input placeholder="Find a session or a command" />
            <Command.List>
              <Command.Empty>Nothing found.</Command.Empty>
              <Command.Group heading="Sessions">
                {[...board.sessions.values()]
                  .sort((a, b) => b.since - a.since)
                  .map((session) => (
                    <Command.Item
                      key={session.id}
                      value={`${session.name} ${session.id}`}
                      onSelect={go(() => router.push(`/session?id=${session.id}`))}
                    >
                      {session.name}
                      <span className="hint sp">{board.projects.get(session.projectId ?? '')?.name}</span>
                    </Command.Item>
                  ))}
              </Command.Group>
              <Command.Group heading="Commands">
                <Command.Item onSelect={go(openStart)}>New session</Command.Item>
                <Command.Item onSelect={go(() => router.push('/'))}>Board</Command.Item>
                <Command.Item onSelect={go(() => router.push('/needs'))}>Needs you</Command.Item>
                <Command.Item onSelect={go(() => router.push('/settings'))}>
                  Settings and devices
                </Command.Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
