/**
 * Pure. Text as it may be typed for somebody: no control characters but tab and newline, so that an `ESC[201~` inside
 * cannot end the paste and have the rest count as keys (S-45). The host does the same to what it is told is a paste.
 */
export const cleanPaste = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** Pure. Several lines, of which a shell would run the first as soon as they are pasted. */
export const isManyLines = (text: string): boolean => /\n./s.test(text.trim());

/**
 * Pure. A message and its Enter as one piece of input: sent apart, the Enter could overtake the paste and answer
 * whatever stands there.
 */
export function messageKeys(text: string, bracketed: boolean): string {
  const clean = cleanPaste(text).replace(/\n+$/, '');
  return bracketed ? `\x1b[200~${clean}\x1b[201~\r` : `${clean.replaceAll('\n', '\r')}\r`;
}
