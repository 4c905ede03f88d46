import { describe, expect, it } from 'vitest';
import { branchFrom } from './branch-name';
import { cleanPaste, isManyLines, message } from './clean-paste';
import { visiblePieces } from './visible-text';

describe('what is typed for somebody', () => {
  it('cannot end the paste it is in', () => {
    expect(cleanPaste('a\x1b[201~rm\x07\u009b5n\tb\r\nc\rd')).toBe('a[201~rm5n\tb\nc\nd');
  });
  it('has no Enter at its end, where its own comes', () => {
    expect(message('hello\n\n')).toBe('hello');
    expect(message('a\r\nb\x1b[201~\r')).toBe('a\nb[201~');
  });
  it('asks only for several lines', () => {
    expect(isManyLines('ls')).toBe(false);
    expect(isManyLines('ls\n')).toBe(false);
    expect(isManyLines('ls\nrm x')).toBe(true);
  });
});

describe('a branch name from a prompt', () => {
  it.each([
    ['Cap the retry backoff at 30 seconds and add jitter.', 'cap-the-retry-backoff-at'],
    ['\n\n  Réparer l’upload', 'reparer-l-upload'],
    ['../../etc; rm -rf $HOME', 'etc-rm-rf-home'],
    ['漢字', ''],
    ['x'.repeat(60), ''],
    ['', ''],
  ])('%j suggests %j', (prompt, name) => {
    expect(branchFrom(prompt)).toBe(name);
  });
});

describe('letters that pose as others', () => {
  it('are marked inside a Latin word, and left alone in their own', () => {
    expect(visiblePieces('p\u0430ypal.com')).toEqual([
      { text: 'p', hidden: false },
      { text: '\u0430', hidden: false, script: 'Cyrillic' },
      { text: 'ypal.com', hidden: false },
    ]);
    expect(visiblePieces('echo привет мир')).toEqual([{ text: 'echo привет мир', hidden: false }]);
    expect(visiblePieces('\u03b1 = 1')).toEqual([{ text: '\u03b1 = 1', hidden: false }]);
    expect(visiblePieces('r\uff4d')).toEqual([
      { text: 'r', hidden: false },
      { text: '\uff4d', hidden: false, script: 'full-width' },
    ]);
  });
  it('are not the only trick: a space that is none is named', () => {
    expect(visiblePieces('rm\u00a0x').map((piece) => piece.text)).toEqual(['rm', 'U+00A0', 'x']);
  });
  it('keep the whole text, whatever it holds', () => {
    const text = 'a\u202e p\u0430y\u200b\uff41b \u00adz';
    const back = visiblePieces(text)
      .map((piece) =>
        piece.hidden ? String.fromCodePoint(Number.parseInt(piece.text.slice(2), 16)) : piece.text,
      )
      .join('');
    expect(back).toBe(text);
  });
});
