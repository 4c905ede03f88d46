'use client';
import './pictures.css';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import type { ImageBytes } from '@/server/contract';
import { usePicture } from './store';

/** A picture as a small sign of itself, and whole at a press. `name` is what it is called aloud. */
export function Picture(props: { id: string; name: string; load: () => Promise<ImageBytes> }) {
  const found = usePicture(props.id, props.load);
  const [open, setOpen] = useState(false);
  if (!found) return <span className="picture" role="img" aria-label={`${props.name}, loading`} />;
  if (!found.url) {
    return (
      <span className="picture gone" role="img" aria-label={`${props.name}: ${found.problem}`}>
        gone
      </span>
    );
  }
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="picture" aria-label={`Look at ${props.name}`}>
        <img src={found.url} alt="" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="picture-whole" aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{props.name}</Dialog.Title>
          <img src={found.url} alt={props.name} />
          <Dialog.Close className="btn">Close</Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
