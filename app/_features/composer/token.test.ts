import { describe, expect, it } from 'vitest';
import { matching, put, tokenAt } from './token';

const at = (marked: string) => {
  const caret = marked.indexOf('|');
  return tokenAt(marked.replace('|', ''), caret);
};

describe('what is being named at the caret', () => {
  it.each([
    ['@|', { kind: 'file', query: '', from: 0, to: 1 }],
    ['see @src/a|pp.ts now', { kind: 'file', query: 'src/app.ts', from: 4, to: 15 }],
    ['(@re|', { kind: 'file', query: 're', from: 1, to: 4 }],
    ['two\nlines @x|', { kind: 'file', query: 'x', from: 10, to: 12 }],
    ['@"my fi|', { kind: 'file', query: 'my fi', from: 0, to: 7 }],
    ['/|', { kind: 'command', query: '', from: 0, to: 1 }],
    ['/front:wid|', { kind: 'command', query: 'front:wid', from: 0, to: 10 }],
  ])('%s', (marked, token) => expect(at(marked)).toEqual(token));
  it.each(['me@example.org|', 'a /b|', '/compact now|', '@a b|', '@Component(|', '\n/x|', '|@a', ''])(
    'nothing in %j',
    (marked) => expect(at(marked)).toBeNull(),
  );
});

describe('a chosen name', () => {
  const choose = (marked: string, name: string) => {
    const caret = marked.indexOf('|');
    const text = marked.replace('|', '');
    const token = tokenAt(text, caret);
    if (!token) throw new Error('no token');
    const done = put(text, token, name);
    return `${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`;
  };
  it('takes the place of what was typed, and the caret goes behind it', () => {
    expect(choose('see @sr|x now', 'src/app.ts')).toBe('see @src/app.ts |now');
    expect(choose('see @sr|', 'src/')).toBe('see @src/|');
    expect(choose('@|', 'my file.txt')).toBe('@"my file.txt" |');
    expect(choose('/co|', 'compact')).toBe('/compact |');
  });
});

it('commands that begin with the letters come first', () => {
  const names = ['compact', 'context', 'front:compact', 'clear'].map((name) => ({ name }));
  expect(matching(names, 'co').map(({ name }) => name)).toEqual(['compact', 'context', 'front:compact']);
  expect(matching(names, '')).toHaveLength(4);
  expect(matching(names, 'zz')).toEqual([]);
});
