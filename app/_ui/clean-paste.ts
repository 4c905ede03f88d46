/**
 * Pure. Text as it may be typed for somebody: no control characters but tab and newline, so that an `ESC[201~` inside
 * cannot end the paste and have the rest count as keys (S-45). The host does the same to what it is told is a paste.
 */
export const cleanPaste = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** Pure. Several lines, of which a shell would run the first as soon as they are pasted. */
export const isManyLines = (text: string): boolean => /\n./s.test(text.trim());

/** Pure. A message as it is pasted for somebody, whose Enter comes behind it: with none at its own end. */
export const message = (text: string): string => cleanPaste(text).replace(/\n+$/, '');
