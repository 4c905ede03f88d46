'use client';
import { RotateCw, X } from 'lucide-react';
import type { ImageName, SessionId } from '@/server/contract';
import { api } from '../../_client/api';
import { IconButton } from '../../_ui/icon-button';
import { Picture } from '../pictures';
import type { Upload } from './use-attachments';

/** Pictures of a message, by their place in it. */
export function Pictures({ session, images }: { session: SessionId; images: readonly ImageName[] }) {
  return images.map((image, index) => (
    <Picture
      key={image}
      id={`${session}/${image}`}
      name={`image ${index + 1}`}
      load={() => api().messages.image.query({ id: session, image })}
    />
  ));
}

/** What will go before the words: pictures that are there, and those on their way to the host. */
export function Attachments(props: {
  session: SessionId;
  images: readonly ImageName[];
  uploads: readonly Upload[];
  onRemove: (image: ImageName) => void;
  onDrop: (id: string) => void;
}) {
  if (props.images.length === 0 && props.uploads.length === 0) return null;
  return (
    <ul className="attached" aria-label="Images of the message">
      {props.images.map((image, index) => (
        <li key={image}>
          <Picture
            id={`${props.session}/${image}`}
            name={`image ${index + 1}`}
            load={() => api().messages.image.query({ id: props.session, image })}
          />
          <IconButton label={`Take out image ${index + 1}`} icon={X} onClick={() => props.onRemove(image)} />
        </li>
      ))}
      {props.uploads.map(({ id, share, problem, again }) => (
        <li key={id} className={problem ? 'failed' : undefined}>
          {problem ? (
            <>
              <span role="alert">{problem}</span>
              {again ? <IconButton label="Try the image again" icon={RotateCw} onClick={again} /> : null}
            </>
          ) : (
            <progress max={1} value={share} aria-label="The image is being sent" />
          )}
          <IconButton label="Leave the image out" icon={X} onClick={() => props.onDrop(id)} />
        </li>
      ))}
    </ul>
  );
}
