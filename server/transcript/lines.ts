import type { FileHandle } from 'node:fs/promises';
import { sha256 } from '../platform';

const CHUNK = 256 * 1024;
/** A longer record is not read: parsing it would cost more memory than a host may use for one look. */
const MAX_LINE = 8 * 1024 * 1024;
const NEWLINE = 10;

/** One complete line. `value` is undefined when it is no JSON or too long to be read. */
export interface Line {
  offset: number;
  bytes: number; // without the line end
  value: unknown;
  tooLong: boolean;
}

export interface Stretch {
  from: number;
  to: number;
  lines: Line[];
}

/** The offset at which the line begins that contains the byte before `position`; 0 at the start of the file. */
async function lineStart(file: FileHandle, position: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(position, 1)));
  let end = position;
  while (end > 0) {
    const from = Math.max(0, end - buffer.length);
    const { bytesRead } = await file.read(buffer, 0, end - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

/** The end of the last complete line. */
export const tailEnd = (file: FileHandle, size: number): Promise<number> => lineStart(file, size);

/** The complete lines of [from, to); `from` must be the start of a line. What follows the last line end is left out. */
export async function readLines(file: FileHandle, from: number, to: number): Promise<Stretch> {
  const lines: Line[] = [];
  let parts: Buffer[] = [];
  let held = 0; // bytes of the current line, also of those no longer kept
  let start = from;
  let position = from;
  while (position < to) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, to - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let begin = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, begin)) {
      const rest = chunk.subarray(begin, at);
      held += rest.length;
      const tooLong = held > MAX_LINE;
      if (held > 0) {
        lines.push({
          offset: start,
          bytes: held,
          value: tooLong ? undefined : parsed(Buffer.concat([...parts, rest])),
          tooLong,
        });
      }
      start += held + 1;
      parts = [];
      held = 0;
      begin = at + 1;
    }
    const rest = chunk.subarray(begin);
    held += rest.length;
    if (held > MAX_LINE) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  return { from, to: start, lines };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The lines that end at `before`, about `bytes` of them and at least one. */
export async function pageBefore(file: FileHandle, before: number, bytes: number): Promise<Stretch> {
  if (before <= 0) return { from: 0, to: 0, lines: [] };
  // From the byte before the end, so that the newest line is there however long it is.
  const from = await lineStart(file, Math.max(1, Math.min(before - 1, before - bytes)));
  return readLines(file, from, before);
}

const PREFIX = 512;

/** Names the file's content as it began: another name means that offsets into the old one are void. Null while empty. */
export async function generationOf(file: FileHandle): Promise<string | null> {
  const { ino, size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(PREFIX, size));
  await file.read(buffer, 0, buffer.length, 0);
  const end = buffer.indexOf(NEWLINE);
  // Less than a line and less than the prefix: what comes next would change the name.
  if (end < 0 && size < PREFIX) return null;
  return `${ino}-${sha256(buffer.subarray(0, end < 0 ? PREFIX : end).toString('latin1')).slice(0, 16)}`;
}

/** The record that begins at `offset`; undefined when none does, or when it is too long to be read. */
export async function recordAt(file: FileHandle, offset: number): Promise<unknown> {
  if (offset > 0 && (await lineStart(file, offset)) !== offset) return undefined;
  const buffer = Buffer.allocUnsafe(CHUNK);
  const parts: Buffer[] = [];
  for (let at = offset; at - offset <= MAX_LINE; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    parts.push(Buffer.from(buffer.subarray(0, end < 0 ? bytesRead : end)));
    if (end >= 0) return at + end - offset > MAX_LINE ? undefined : parsed(Buffer.concat(parts));
    if (bytesRead === 0) return undefined; // still being written
    at += bytesRead;
  }
  return undefined;
}
