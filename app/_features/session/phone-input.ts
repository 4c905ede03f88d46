const DELETE = '\x7f';

/**
 * What a phone's keyboard does to the terminal's hidden text field, as keys. xterm.js guesses it from the whole text of
 * the field: a space behind a word is sent before it and with it, and a corrected word is typed a second time
 * (xtermjs/xterm.js#3600). Here each change is what stands there after it, against before. Compositions stay with
 * xterm.js, which shows them; `sent` is to be called with whatever it sends.
 */
export function phoneInput(
  element: HTMLElement,
  field: HTMLTextAreaElement,
  type: (keys: string) => void,
): { sent(): void; composing(): boolean; stop(): void } {
  let composing = false;
  /** A composition ended and is sent in a moment, with all that stands behind its beginning by then. */
  let ending = false;
  let before = '';
  const begin = () => {
    composing = true;
  };
  const end = () => {
    composing = false;
    ending = true;
    setTimeout(() => {
      ending = false;
    });
  };
  const about = () => {
    before = field.value;
  };
  const changed = (event: Event) => {
    if (composing) return;
    event.stopPropagation();
    if (ending) return;
    const keys = changeAsKeys(before, field.value);
    before = field.value;
    if (keys) type(keys);
  };
  element.addEventListener('compositionstart', begin, true);
  // Behind xterm's own listener, so that its timer is set before ours.
  element.addEventListener('compositionend', end);
  element.addEventListener('beforeinput', about, true);
  element.addEventListener('input', changed, true);
  return {
    sent: () => {
      ending = false;
    },
    composing: () => composing,
    stop: () => {
      element.removeEventListener('compositionstart', begin, true);
      element.removeEventListener('compositionend', end);
      element.removeEventListener('beforeinput', about, true);
      element.removeEventListener('input', changed, true);
    },
  };
}

/** Pure. The keys that turn one text into the other, from its end: what differs is deleted and typed anew. */
export function changeAsKeys(before: string, after: string): string {
  const [old, now] = [[...before], [...after]];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same++;
  return DELETE.repeat(old.length - same) + now.slice(same).join('');
}
