import { cutText, MAX_OUT, type ServerFrame } from '@/server/contract';

/** What is needed of a terminal to show what the host sends. */
export interface Shown {
  readonly cols: number;
  readonly rows: number;
  write(data: string | Uint8Array, done?: () => void): void;
  resize(cols: number, rows: number): void;
}

/**
 * Puts a frame on a terminal; `done` runs when it is drawn. Nothing may be called directly here: what is written waits
 * in a queue, and a `reset()` or `resize()` of a snapshot would overtake it, so that old output stood behind the new.
 */
export function showFrame(
  term: Shown,
  frame: Exclude<ServerFrame, { type: 'info' }>,
  on: { resized?(): void; done(): void },
): void {
  if (frame.type === 'snap') {
    term.write('\x1bc', () => {
      if (term.cols !== frame.cols || term.rows !== frame.rows) term.resize(frame.cols, frame.rows);
      on.resized?.();
    });
  }
  // xterm.js takes more than 128 KB in pieces of its own, and cuts them inside characters.
  const pieces = cutText(frame.bytes, MAX_OUT);
  const last = pieces.pop();
  for (const piece of pieces) term.write(piece);
  term.write(last ?? '', on.done);
}
