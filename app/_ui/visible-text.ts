/** A piece of a request: plain, a character that would not be seen (as its name), or a letter that poses as another. */
export interface Piece {
  text: string;
  hidden: boolean;
  /** The script this letter comes from, when the rest of its word is Latin. */
  script?: string;
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]/g;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LOOK_ALIKE: readonly [string, RegExp][] = [
  ['Cyrillic', /\p{Script=Cyrillic}+/gu],
  ['Greek', /\p{Script=Greek}+/gu],
  ['Armenian', /\p{Script=Armenian}+/gu],
  ['Cherokee', /\p{Script=Cherokee}+/gu],
  ['full-width', /[\uff01-\uff5e]+/gu],
];

/** Where a letter of another script stands inside a Latin word: "paypal" with a Cyrillic а is another word. */
function lookAlikes(text: string): { at: number; text: string; script: string }[] {
  const found: { at: number; text: string; script: string }[] = [];
  for (const word of text.matchAll(WORD)) {
    if (!LATIN.test(word[0])) continue;
    for (const [script, letters] of LOOK_ALIKE) {
      for (const match of word[0].matchAll(letters)) {
        found.push({ at: word.index + match.index, text: match[0], script });
      }
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

function plainPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const odd of lookAlikes(text)) {
    // Full-width Latin letters are of the Latin script too, and may be found twice.
    if (odd.at < from) continue;
    if (odd.at > from) pieces.push({ text: text.slice(from, odd.at), hidden: false });
    pieces.push({ text: odd.text, hidden: false, script: odd.script });
    from = odd.at + odd.text.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/**
 * Pure. Makes visible what could hide in a request that is to be approved: controls, direction overrides, zero-width
 * and tag characters, spaces that are none, and letters that pose as others.
 */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) pieces.push(...plainPieces(text.slice(from, match.index)));
    const code = match[0].codePointAt(0) ?? 0;
    pieces.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push(...plainPieces(text.slice(from)));
  return pieces;
}
