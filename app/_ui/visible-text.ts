/** A piece of a request: plain, or a character that would not be seen, as its name. */
export interface Piece {
  text: string;
  hidden: boolean;
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]/g;

/**
 * Pure. Makes characters visible that could hide what is approved: controls, direction overrides, zero-width
 * and tag characters.
 */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), hidden: false });
    const code = match[0].codePointAt(0) ?? 0;
    pieces.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}
