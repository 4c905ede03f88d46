import { existsSync, mkdirSync } from 'node:fs';
import { open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AppError,
  type ImageBytes,
  type ImageChunk,
  ImageName,
  imageKind,
  imageType,
  MAX_IMAGE,
  type SessionId,
} from '../contract';
import { type Clock, type Paths, sha256 } from '../platform';

/** A transfer that was given up is forgotten after this long. */
const STALE_MS = 60 * 60_000;

export interface Images {
  /** Keeps one piece; the name of the picture with the last one, else null. Throws `bad-input` for what is no picture. */
  put(chunk: ImageChunk): Promise<ImageName | null>;
  /** Throws `not-found`. */
  read(sessionId: SessionId, name: ImageName): Promise<ImageBytes>;
  /** Where its file is, or null when it is gone. */
  path(sessionId: SessionId, name: ImageName): string | null;
}

/** Pictures that a person gave to a session: files in the session's own folder, since a CLI takes a path. */
export function createImages(deps: {
  paths: Pick<Paths, 'session'>;
  clock: Clock;
  known(id: SessionId): boolean;
}): Images {
  const folderOf = (id: SessionId) => join(deps.paths.session(id).dir, 'images');

  const forgetStale = async (folder: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.part')) continue;
      const found = await stat(join(folder, name)).catch(() => null);
      if (found && deps.clock.now() - found.mtimeMs > STALE_MS) {
        await unlink(join(folder, name)).catch(() => {}); // another upload was quicker
      }
    }
  };

  return {
    async put({ sessionId, upload, offset, total, data }) {
      if (!deps.known(sessionId)) {
        throw new AppError({ code: 'not-found', message: 'There is no such session.' });
      }
      const bytes = Buffer.from(data, 'base64');
      if (total > MAX_IMAGE) {
        throw new AppError({
          code: 'bad-input',
          message: `The image is larger than ${MAX_IMAGE / 1024 / 1024} MB.`,
          hint: 'Send a smaller one.',
        });
      }
      if (bytes.length === 0 || offset + bytes.length > total) {
        throw new AppError({ code: 'bad-input', message: 'The image did not arrive whole.' });
      }
      if (offset === 0 && imageKind(bytes) === null) {
        throw new AppError({
          code: 'bad-input',
          message: 'This is not an image that an agent can read.',
          hint: 'PNG, JPEG, GIF and WebP can be sent.',
        });
      }
      const folder = folderOf(sessionId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (offset === 0) await forgetStale(folder);
      const part = join(folder, `${upload}.part`);
      const file = await open(part, offset === 0 ? 'w' : 'r+', 0o600).catch(() => null);
      if (!file) throw new AppError({ code: 'conflict', message: 'The image must be sent again.' });
      try {
        const { size } = await file.stat();
        if (offset > size) {
          throw new AppError({ code: 'conflict', message: 'A piece of the image is missing.' });
        }
        await file.write(bytes, 0, bytes.length, offset);
        await file.sync();
      } finally {
        await file.close();
      }
      if (offset + bytes.length < total) return null;
      const whole = await readFile(part);
      const kind = imageKind(whole);
      if (whole.length !== total || kind === null) {
        await unlink(part);
        throw new AppError({ code: 'bad-input', message: 'The image did not arrive whole.' });
      }
      const name = ImageName.parse(`${sha256(whole).slice(0, 32)}.${kind}`);
      await rename(part, join(folder, name));
      return name;
    },
    async read(sessionId, name) {
      const bytes = await readFile(join(folderOf(sessionId), name)).catch(() => null);
      if (!bytes) throw new AppError({ code: 'not-found', message: 'The image is gone.' });
      return { type: imageType(name.split('.')[1] ?? ''), data: bytes.toString('base64') };
    },
    path(sessionId, name) {
      const path = join(folderOf(sessionId), name);
      return existsSync(path) ? path : null;
    },
  };
}
