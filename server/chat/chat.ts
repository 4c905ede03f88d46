import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AgentVendor, TranscriptPlace, VendorEnv } from '../agents/port';
import {
  AppError,
  type ChatPage,
  type ChatRow,
  type ChatUpdate,
  type ImageBytes,
  ImageName,
  imageKind,
  imageType,
  type LiveText,
  type Session,
  type SessionId,
} from '../contract';
import type { Paths } from '../platform';
import { followLines, generationOf, type Line, pageBefore, recordAt, tailEnd } from '../transcript';

/** About what one screen and a little more needs; most of a transcript's bytes are bookkeeping. */
const PAGE_BYTES = 192 * 1024;

/** The vendor's clock and ours are one machine's, but the record may carry a moment from before the call returned. */
const SKEW_MS = 1_000;
/** The same words, however a CLI keeps their edges. */
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

export interface ChatDeps {
  session(id: SessionId): Session | null;
  vendors: readonly AgentVendor[];
  vendorEnv: VendorEnv;
  paths: Pick<Paths, 'session'>;
  /** Pictures that a person gave to a session. */
  images: {
    path(id: SessionId, name: ImageName): string | null;
    read(id: SessionId, name: ImageName): Promise<ImageBytes>;
  };
}

/** Which conversation: the session's own, or that of a subagent in it. */
export interface ChatOf {
  id: SessionId;
  agent: string | null;
}

export interface Chat {
  /** The stretch that ends at `before`. Throws AppError `conflict` when that file is no longer the one it was. */
  page(of: ChatOf, before: { generation: string; offset: number }): Promise<ChatPage>;
  /**
   * One picture in the words of a person, from the record that begins at `at.offset`. Throws AppError `not-found`, and
   * `conflict` as `page` does.
   */
  image(of: ChatOf, at: { generation: string; offset: number; index: number }): Promise<ImageBytes>;
  /** The tail (or what came after `after`), then whatever comes, until `signal`. */
  follow(
    of: ChatOf,
    after: { generation: string; to: number } | null,
    signal: AbortSignal,
  ): AsyncGenerator<ChatUpdate>;
  /** Whether the person's own words, said at or after `since`, are in the record of a session. */
  saidSince(id: SessionId, text: string, since: number): Promise<boolean>;
  /** What the agent of a session says right now; null when it no longer does. */
  live(id: SessionId, live: LiveText | null): void;
}

export function createChat(deps: ChatDeps): Chat {
  const live = new Map<SessionId, LiveText>();
  const listeners = new Map<SessionId, Set<(live: LiveText | null) => void>>();

  const vendorOf = (id: SessionId) => {
    const session = deps.session(id);
    if (!session) throw new AppError({ code: 'not-found', message: 'There is no such session.' });
    const vendor = deps.vendors.find((one) => one.manifest.id === session.vendor);
    return { session, transcript: vendor?.transcript ?? null };
  };

  const locate = async ({ id, agent }: ChatOf): Promise<string | null> => {
    const { session, transcript } = vendorOf(id);
    if (!transcript || session.vendorSession === null) return null;
    const place: TranscriptPlace = {
      ...deps.vendorEnv,
      vendorSession: session.vendorSession,
      dir: deps.paths.session(id).dir,
      cwd: session.cwd,
      agent,
    };
    return transcript.locate(place);
  };

  const rows = (of: ChatOf, lines: readonly Line[]): ChatRow[] => {
    const { transcript } = vendorOf(of.id);
    return lines.flatMap((line) => {
      const patches = line.tooLong
        ? [
            {
              type: 'item' as const,
              item: { kind: 'cut' as const, id: `cut-${line.offset}`, at: null, bytes: line.bytes },
            },
          ]
        : (transcript?.read(line.value, { nested: of.agent !== null }) ?? []);
      return patches.length > 0 ? [{ offset: line.offset, patches }] : [];
    });
  };

  /** The file of a conversation, as long as it is still the one that is meant. */
  const within = async <T>(
    of: ChatOf,
    generation: string,
    read: (file: FileHandle) => Promise<T>,
  ): Promise<T> => {
    const path = await locate(of);
    const file = path === null ? null : await open(path, 'r').catch(() => null);
    if (!file) {
      throw new AppError({ code: 'not-found', message: 'The conversation of this session is gone.' });
    }
    try {
      if ((await generationOf(file)) !== generation) {
        throw new AppError({ code: 'conflict', message: 'The conversation is another one now.' });
      }
      return await read(file);
    } finally {
      await file.close();
    }
  };

  return {
    page: (of, before) =>
      within(of, before.generation, async (file) => {
        const { from, to, lines } = await pageBefore(file, before.offset, PAGE_BYTES);
        return { generation: before.generation, from, to, start: from === 0, rows: rows(of, lines) };
      }),

    image: (of, at) =>
      within(of, at.generation, async (file) => {
        const record = await recordAt(file, at.offset);
        const image = vendorOf(of.id).transcript?.images(record)[at.index];
        if (image && 'path' in image) {
          // Only what was given here: a record may name any file of this machine.
          const name = ImageName.safeParse(basename(image.path)).data;
          if (name && deps.images.path(of.id, name) === image.path) return deps.images.read(of.id, name);
        }
        const data = image && 'data' in image ? image.data : '';
        // It goes to a browser: nothing but a picture, whatever the record calls it.
        const kind = imageKind(Buffer.from(data.slice(0, 64), 'base64'));
        if (!kind) {
          throw new AppError({ code: 'not-found', message: 'The record does not hold this image.' });
        }
        return { type: imageType(kind), data };
      }),

    async saidSince(id, text, since) {
      const of: ChatOf = { id, agent: null };
      const path = await locate(of);
      const file = path === null ? null : await open(path, 'r').catch(() => null);
      if (!file) return false;
      try {
        const end = await tailEnd(file, (await file.stat()).size);
        const { lines } = await pageBefore(file, end, PAGE_BYTES);
        const wanted = words(text);
        return rows(of, lines).some((row) =>
          row.patches.some(
            ({ type, ...rest }) =>
              type === 'item' &&
              'item' in rest &&
              rest.item.kind === 'user' &&
              rest.item.at !== null &&
              rest.item.at >= since - SKEW_MS &&
              words(rest.item.text) === wanted,
          ),
        );
      } finally {
        await file.close();
      }
    },

    async *follow(of, after, signal) {
      if (!vendorOf(of.id).transcript) {
        yield { type: 'none', why: 'unsupported' };
        return;
      }
      const queue: ChatUpdate[] = [];
      let ring: () => void = () => {};
      const push = (update: ChatUpdate) => {
        // Live text replaces itself: a slow reader needs only the newest.
        const last = queue.at(-1);
        if (update.type === 'live' && last?.type === 'live') queue.pop();
        queue.push(update);
        ring();
      };
      const heard = (text: LiveText | null) => push({ type: 'live', live: text });
      const mine = listeners.get(of.id) ?? new Set();
      listeners.set(of.id, mine);
      if (of.agent === null) mine.add(heard);
      const stop = new AbortController();
      const end = () => {
        stop.abort();
        ring();
      };
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      const reading = (async () => {
        const lines = followLines({
          locate: () => locate(of),
          after,
          tailBytes: PAGE_BYTES,
          signal: stop.signal,
        });
        for await (const read of lines) {
          if (read.type === 'none') push(read);
          else if (read.type === 'more') {
            push({ type: 'rows', generation: read.generation, to: read.to, rows: rows(of, read.lines) });
          } else {
            const { generation, from, to } = read;
            push({
              type: 'page',
              page: { generation, from, to, start: from === 0, rows: rows(of, read.lines) },
              anew: read.anew,
            });
          }
        }
      })();
      let fault: unknown = null;
      reading.catch((cause: unknown) => {
        fault = cause;
        end();
      });
      try {
        const now = live.get(of.id);
        if (now && of.agent === null) push({ type: 'live', live: now });
        for (;;) {
          const update = queue.shift();
          if (update) yield update;
          else if (stop.signal.aborted) break;
          else {
            await new Promise<void>((resolve) => {
              ring = resolve;
              if (queue.length > 0 || stop.signal.aborted) resolve();
            });
          }
        }
        if (fault) throw fault;
      } finally {
        signal.removeEventListener('abort', end);
        end();
        mine.delete(heard);
        if (mine.size === 0) listeners.delete(of.id);
      }
    },

    live(id, text) {
      if (text === null) live.delete(id);
      else live.set(id, text);
      for (const listener of listeners.get(id) ?? []) listener(text);
    },
  };
}
