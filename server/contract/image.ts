import { z } from 'zod';
import { SessionId } from './ids';

/** A picture given to a session: named by its content, so the same one again is the same file. */
export const ImageName = z.string().regex(/^[0-9a-f]{32}\.(png|jpg|gif|webp)$/);
export type ImageName = z.infer<typeof ImageName>;

export const MAX_IMAGES = 8; // in one message
export const MAX_IMAGE = 5 * 1024 * 1024; // bytes; the vendors' own limits are about this
/** Bytes that travel at once: less than a frame of the socket, also as base64. */
export const IMAGE_CHUNK = 256 * 1024;

/** A piece of a picture on its way to the host. A piece that is sent again changes nothing. */
export const ImageChunk = z.object({
  sessionId: SessionId,
  upload: z.string().regex(/^[a-z0-9]{8,40}$/), // the device's own name for this transfer
  offset: z.number().int().nonnegative().max(MAX_IMAGE),
  total: z.number().int().positive(),
  data: z.string().max(Math.ceil(IMAGE_CHUNK / 3) * 4 + 4), // base64
});
export type ImageChunk = z.infer<typeof ImageChunk>;

/** A picture as it goes to a browser. */
export interface ImageBytes {
  type: string; // "image/png"
  data: string; // base64
}

const startsWith = (bytes: Uint8Array, text: string, at = 0): boolean =>
  [...text].every((char, i) => bytes[at + i] === char.charCodeAt(0));

/** Pure. What kind of picture these bytes begin, whatever they were called; null for anything else. */
export function imageKind(bytes: Uint8Array): 'png' | 'jpg' | 'gif' | 'webp' | null {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'jpg';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'gif';
  return startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8) ? 'webp' : null;
}

export const imageType = (kind: string): string => `image/${kind === 'jpg' ? 'jpeg' : kind}`;
