import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClientFrame,
  cutText,
  decodeClient,
  decodeServer,
  encodeClient,
  encodeServer,
  type ServerFrame,
} from './index';

const u16 = fc.integer({ min: 0, max: 65535 });
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const u48 = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const bytes = fc.uint8Array({ maxLength: 200 });

const server: fc.Arbitrary<ServerFrame> = fc.oneof(
  fc.record({ type: fc.constant('out' as const), channel: u16, epoch: u32, seq: u48, bytes }),
  fc.record({
    type: fc.constant('snap' as const),
    channel: u16,
    epoch: u32,
    seq: u48,
    cols: u16,
    rows: u16,
    bytes,
  }),
  fc.record({ type: fc.constant('frame' as const), channel: u16, seq: u48, bytes }),
  fc.record({ type: fc.constant('info' as const), channel: u16, json: bytes }),
  fc.record({ type: fc.constant('hist' as const), channel: u16, firstLine: u32, bytes }),
);
const client: fc.Arbitrary<ClientFrame> = fc.oneof(
  fc.record({ type: fc.constant('input' as const), channel: u16, inputSeq: u32, bytes }),
  fc.record({ type: fc.constant('paste' as const), channel: u16, inputSeq: u32, last: fc.boolean(), bytes }),
  fc.record({ type: fc.constant('size' as const), channel: u16, cols: u16, rows: u16, claim: fc.boolean() }),
  fc.record({ type: fc.constant('ack' as const), channel: u16, bytes: u32 }),
  fc.record({
    type: fc.constant('sub' as const),
    channel: u16,
    sessionId: bytes,
    epoch: u32,
    from: fc.option(u48, { nil: null }),
  }),
  fc.record({ type: fc.constant('unsub' as const), channel: u16 }),
  fc.record({ type: fc.constant('history' as const), channel: u16, lines: u32 }),
);
const plain = (frame: object) =>
  Object.fromEntries(Object.entries(frame).map(([k, v]) => [k, v instanceof Uint8Array ? [...v] : v]));

describe('terminal frames', () => {
  it('come back as they went, in both directions', () => {
    fc.assert(
      fc.property(server, (f) => {
        expect(plain(decodeServer(encodeServer(f))!)).toEqual(plain(f));
      }),
    );
    fc.assert(
      fc.property(client, (f) => {
        expect(plain(decodeClient(encodeClient(f))!)).toEqual(plain(f));
      }),
    );
  });

  it('never throw on junk, and cut frames are refused rather than guessed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (junk) => {
        decodeServer(junk);
        decodeClient(junk);
      }),
    );
    const size = encodeClient({ type: 'size', channel: 1, cols: 80, rows: 24, claim: true });
    expect(decodeClient(size)).not.toBeNull();
    expect(decodeClient(size.subarray(0, size.length - 1))).toBeNull();
  });
});

describe('pieces of text', () => {
  it('pitfall 7: are the text, are no longer than asked, and begin with a character', () => {
    const most = fc.integer({ min: 4, max: 30 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), most, (text, limit) => {
        const pieces = cutText(Buffer.from(text), limit);
        expect(Buffer.concat(pieces)).toEqual(Buffer.from(text));
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(limit);
          expect((piece[0] ?? 0) & 0xc0).not.toBe(0x80);
        }
      }),
    );
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 30 }), (any, limit) => {
        const pieces = cutText(any, limit);
        expect(Buffer.concat(pieces)).toEqual(Buffer.from(any));
        expect(pieces.every((piece) => piece.length > 0 && piece.length <= limit)).toBe(true);
      }),
    );
  });
});
