type Keys = Record<string, (event: KeyboardEvent) => void>;

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    !!target.closest('.xterm'));

/**
 * Plain keys and `mod+key` while the component lives; none fires while the person types. Two keys in a row are
 * written "g b". Returns the function that ends it.
 */
export function onKeys(keys: Keys): () => void {
  let before = '';
  let beforeAt = 0;
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const inTerminal = event.target instanceof HTMLElement && !!event.target.closest('.xterm');
    // In a terminal Ctrl belongs to the program there; ours are ⌘ and Ctrl with Shift.
    const mod = event.metaKey || (inTerminal ? event.ctrlKey && event.shiftKey : event.ctrlKey);
    if (event.ctrlKey && !mod) return;
    const key = mod && event.code === 'Period' ? '.' : event.key.toLowerCase();
    const name = `${mod ? 'mod+' : ''}${key}`;
    if (!mod && typing(event.target)) {
      // Esc leaves the field; the next one goes back. The terminal's Esc is the program's own.
      if (name === 'escape' && !inTerminal && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (!mod && document.querySelector('[role="dialog"]')) return;
    const pair = event.timeStamp - beforeAt < 1_000 ? `${before} ${name}` : '';
    before = name;
    beforeAt = event.timeStamp;
    const act = keys[pair] ?? keys[name];
    if (!act) return;
    // Enter on a button is the button's own.
    if (name === 'enter' && event.target instanceof HTMLElement && event.target.closest('button, a')) return;
    event.preventDefault();
    act(event);
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}
