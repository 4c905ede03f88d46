import { describe, expect, it } from 'vitest';
import { changeAsKeys } from './phone-input';

describe('a change of the text field, as keys', () => {
  it.each([
    ['', 'a', 'a'],
    ['word', 'word ', ' '],
    ['word ', 'word. ', '\x7f. '],
    ['wrod', 'word', '\x7f\x7f\x7ford'],
    ['word', 'wor', '\x7f'],
    ['a👩', 'a', '\x7f'],
    ['same', 'same', ''],
  ])('pitfall 15: from %j to %j', (before, after, keys) => {
    expect(changeAsKeys(before, after)).toBe(keys);
  });
});
