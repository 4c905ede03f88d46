import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IMAGE_CHUNK, type ImageName, imageKind, MAX_IMAGE, SessionId } from '../contract';
import { pathsFor, privateFolder } from '../platform';
import { createImages } from './index';

const ID = SessionId.parse('sessionaaaaaa');
const OTHER = SessionId.parse('sessionbbbbbb');
const png = (bytes: number): Buffer => {
  const image = Buffer.alloc(bytes, 7);
  image.write('\x89PNG\r\n\x1a\n', 'latin1');
  return image;
};

let home = '';
const folder = () => join(home, 'sessions', ID, 'images');
const made = () => {
  const paths = pathsFor(home);
  privateFolder(paths.session(ID).dir);
  return createImages({
    paths,
    clock: { now: Date.now, mono: () => performance.now() },
    known: (id) => id === ID,
  });
};
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'od-images-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const piece = (image: Buffer, offset: number, upload = 'uploadaaaa') => ({
  sessionId: ID,
  upload,
  offset,
  total: image.length,
  data: image.subarray(offset, offset + IMAGE_CHUNK).toString('base64'),
});
const put = async (images: ReturnType<typeof made>, image: Buffer): Promise<ImageName | null> => {
  let name: ImageName | null = null;
  for (let offset = 0; offset < image.length; offset += IMAGE_CHUNK)
    name = await images.put(piece(image, offset));
  return name;
};

describe('images of a session', () => {
  it('arrive in pieces, a piece twice too, and are private files named by what they hold', async () => {
    const images = made();
    const image = png(IMAGE_CHUNK * 2 + 10);
    expect(await images.put(piece(image, 0))).toBe(null);
    expect(await images.put(piece(image, IMAGE_CHUNK))).toBe(null);
    expect(await images.put(piece(image, IMAGE_CHUNK))).toBe(null);
    const name = (await images.put(piece(image, IMAGE_CHUNK * 2)))!;
    expect(name).toMatch(/^[0-9a-f]{32}\.png$/);
    expect(await put(images, image)).toBe(name);
    expect(readdirSync(folder())).toEqual([name]);
    expect(statSync(images.path(ID, name)!).mode & 0o777).toBe(0o600);
    expect(readFileSync(images.path(ID, name)!).equals(image)).toBe(true);
    expect(await images.read(ID, name)).toEqual({ type: 'image/png', data: image.toString('base64') });
    expect(images.path(OTHER, name)).toBe(null);
  });

  it('that are none, too large, in part or of nobody are refused with the reason', async () => {
    const images = made();
    const text = Buffer.from('<svg onload="alert(1)">');
    await expect(images.put(piece(text, 0))).rejects.toThrow(/not an image/);
    await expect(images.put({ ...piece(png(100), 0), total: MAX_IMAGE + 1 })).rejects.toThrow(
      /larger than 5 MB/,
    );
    await expect(images.put({ ...piece(png(100), 0), data: '' })).rejects.toThrow(/not arrive whole/);
    await expect(images.put({ ...piece(png(100), 0), total: 50 })).rejects.toThrow(/not arrive whole/);
    await expect(images.put({ ...piece(png(100), 0), sessionId: OTHER })).rejects.toThrow(/no such session/);
    const image = png(IMAGE_CHUNK * 3);
    await expect(images.put(piece(image, IMAGE_CHUNK))).rejects.toThrow(/sent again/);
    await images.put(piece(image, 0));
    await expect(images.put(piece(image, IMAGE_CHUNK * 2))).rejects.toThrow(/missing/);
    await expect(images.read(ID, `${'a'.repeat(32)}.png` as ImageName)).rejects.toThrow(/gone/);
  });

  it('leave nothing behind when their transfer was given up', async () => {
    const images = made();
    await images.put(piece(png(IMAGE_CHUNK * 2), 0, 'givenupaaa'));
    const past = Date.now() / 1000 - 7_200;
    utimesSync(join(folder(), 'givenupaaa.part'), past, past);
    await images.put(piece(png(IMAGE_CHUNK * 2), 0, 'stillgoing'));
    expect(readdirSync(folder())).toEqual(['stillgoing.part']);
  });

  it('are known by their first bytes', () => {
    const kinds = ['GIF89a', '\xff\xd8\xff\xe0', 'RIFFxxxxWEBP', 'RIFFxxxxWAVE', '%PDF-1.7', ''].map((text) =>
      imageKind(Buffer.from(text, 'latin1')),
    );
    expect(kinds).toEqual(['gif', 'jpg', 'webp', null, null, null]);
  });
});
