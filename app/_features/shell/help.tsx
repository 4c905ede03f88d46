'use client';
import { Dialog } from 'radix-ui';
import { modKey } from '../../_ui/mod-key';

const keys = (mod: string) =>
  [
    [
      'Anywhere',
      [
        [`${mod}K`, 'Find a session or a command'],
        ['N', 'New session'],
        ['G B', 'Board'],
        ['G I', 'Needs you'],
        ['G H', 'History'],
        ['G S', 'Settings'],
        ['?', 'These keys'],
        ['Esc', 'Leave the field, then back'],
      ],
    ],
    [
      'Board and requests',
      [
        ['J / K', 'Next, previous card'],
        ['↵', 'Open the card'],
        ['A / D', 'Approve, deny (the card that has the focus)'],
      ],
    ],
    [
      'Session',
      [
        ['T', 'Chat, terminal'],
        ['S', 'Chat and terminal'],
        ['R', 'Write a message'],
        ['F', 'The terminal takes the whole window'],
        ['E', 'Rename'],
        [`${mod}.`, 'Interrupt the agent (asks once)'],
        [`${mod}${mod === '⌘' ? '' : 'Shift '}F`, 'Find in the terminal'],
        [`${mod}${mod === '⌘' ? '' : 'Shift '}C`, 'Copy what is selected in the terminal'],
      ],
    ],
  ] as const;

export function Help({ onClose }: { onClose: () => void }) {
  const mod = modKey();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title asChild>
            <h2>Keys</h2>
          </Dialog.Title>
          <div className="body">
            {keys(mod).map(([title, list]) => (
              <section key={title} className="key-list">
                <h3>{title}</h3>
                <dl>
                  {list.map(([key, what]) => (
                    <div key={key}>
                      <dt>
                        <kbd>{key}</kbd>
                      </dt>
                      <dd>{what}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
            <p className="hint">
              None of them fires while you type. In the terminal only {mod === '⌘' ? '⌘' : 'Ctrl Shift'} is
              ours.
            </p>
          </div>
          <div className="foot">
            <span className="sp" />
            <Dialog.Close className="btn">Close</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
