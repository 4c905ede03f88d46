import { describe, expect, it } from 'vitest';
import { applyUpdate, EMPTY } from '../_client/board-store';
import { elapsed } from './elapsed';
import { visiblePieces } from './visible-text';

describe('elapsed time', () => {
  it.each([
    [0, '0s'],
    [38_000, '38s'],
    [72_000, '1m 12s'],
    [599_000, '9m 59s'],
    [14 * 60_000, '14m'],
    [190 * 60_000, '3h 10m'],
    [50 * 3_600_000, '2d'],
    [-5, '0s'],
  ])('%d ms is %s', (ms, text) => {
    expect(elapsed(ms)).toBe(text);
  });
});

describe('a request that hides something', () => {
  it('shows what cannot be seen by its name', () => {
    expect(visiblePieces('rm \u202e-rf\u200b /\u001b[2K')).toEqual([
      { text: 'rm ', hidden: false },
      { text: 'U+202E', hidden: true },
      { text: '-rf', hidden: false },
      { text: 'U+200B', hidden: true },
      { text: ' /', hidden: false },
      { text: 'U+001B', hidden: true },
      { text: '[2K', hidden: false },
    ]);
    expect(visiblePieces('a\tb\nc é 漢')).toEqual([{ text: 'a\tb\nc é 漢', hidden: false }]);
    expect(visiblePieces('x\u{e0041}')[1]).toEqual({ text: 'U+E0041', hidden: true });
  });
});

describe('the board in the browser', () => {
  it('takes a row twice without change, and a snapshot whole', () => {
    const project = {
      id: 'projectaaaaa',
      name: 'p',
      path: '/p',
      branch: null,
      trusted: true,
      created: 0,
    } as never;
    const once = applyUpdate(EMPTY, { type: 'project', project });
    expect(applyUpdate(once, { type: 'project', project })).toEqual(once);
    const snapshot = {
      seq: 1,
      sessions: [],
      needs: [],
      messages: [],
      projects: [],
      worktrees: [],
      vendors: [],
    };
    expect(applyUpdate(once, { type: 'snapshot', snapshot }).projects.size).toBe(0);
  });
});
