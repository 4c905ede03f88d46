/**
 * What may be pasted into a program: text, tabs and line ends. Everything else that a terminal would act on goes: C0
 * with ESC, DEL and C1. tmux passes an embedded `ESC[201~` through unchanged, which ends the bracketed paste early and
 * turns the rest into typed keys (S-45).
 */
export const cleanPaste = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
