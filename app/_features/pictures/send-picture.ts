import { IMAGE_CHUNK, type ImageName, MAX_IMAGE, type SessionId } from '@/server/contract';
import { api, problemOf } from '../../_client/api';

/** The models look at no more than about this; a phone's photo is four times as wide. */
const MAX_SIDE = 2_000;
const ALLOWED = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const TRIES = 5;
const AGAIN_MS = 1_000;

const drawn = (bitmap: ImageBitmap, scale: number, type: string): Promise<Blob | null> => {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (type === 'image/jpeg' && context) {
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, type, 0.9));
};

/**
 * A picture that an agent can read: as it is when it fits, else drawn smaller. Throws an Error that a person can read
 * for what is no picture.
 */
export async function fitPicture(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) throw new Error('This is not an image that can be read here.');
  try {
    const side = Math.max(bitmap.width, bitmap.height);
    const scale = Math.min(1, MAX_SIDE / side);
    if (scale === 1 && file.size <= MAX_IMAGE && ALLOWED.includes(file.type)) return file;
    // A screenshot's letters suffer from JPEG; a photo as PNG does not fit.
    const sharp = file.type === 'image/png' ? await drawn(bitmap, scale, 'image/png') : null;
    if (sharp && sharp.size <= MAX_IMAGE) return sharp;
    const small = await drawn(bitmap, scale, 'image/jpeg');
    if (!small || small.size > MAX_IMAGE) throw new Error('The image is too large to be sent.');
    return small;
  } finally {
    bitmap.close();
  }
}

const base64 = async (piece: Blob): Promise<string> => {
  const bytes = new Uint8Array(await piece.arrayBuffer());
  let text = '';
  // In stretches: as arguments of one call, a picture's bytes overflow the stack.
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
};

/** Sends it in pieces and goes on where a broken line left off. Throws what the API throws. */
export async function sendPicture(
  sessionId: SessionId,
  upload: string,
  picture: Blob,
  progress: (share: number) => void,
): Promise<ImageName> {
  for (let offset = 0, tries = 0; ; ) {
    try {
      const name = await api().messages.putImage.mutate({
        sessionId,
        upload,
        offset,
        total: picture.size,
        data: await base64(picture.slice(offset, offset + IMAGE_CHUNK)),
      });
      if (name) return name;
      offset += IMAGE_CHUNK;
      tries = 0;
      progress(offset / picture.size);
    } catch (error) {
      const { code } = problemOf(error);
      if (!['unavailable', 'conflict'].includes(code) || ++tries >= TRIES) throw error;
      // The host has no use for this piece: it lost the ones before, or has the whole and its answer was lost.
      if (code === 'conflict') offset = 0;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
