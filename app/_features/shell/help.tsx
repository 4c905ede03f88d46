'use client';
import { Dialog } from 'radix-ui';

const KEYS = [
  ['⌘K', 'Find'],
  ['N', 'New session'],
  ['G B', 'Board'],
  ['G I', 'Needs you'],
  ['G S', 'Settings'],
  ['J / K', 'Next, previous card'],
  ['↵', 'Open the card'],
  ['A / D', 'Approve, deny (the request that has the focus)'],
  ['F', 'Terminal takes the whole window'],
  ['⌘.', 'Interrupt the agent'],
  ['Esc', 'Back'],
] as const;

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title asChild>
            <h2>Keys</h2>
          </Dialog.Title>
          <div className="body">
            {KEYS.map(([key, what]) => (
              <div className="field" key={key}>
                <span>
                  <kbd>{key}</kbd>
                </span>
                <span>{what}</span>
              </div>
            ))}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
