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
    const mod = event.metaKey || event.ctrlKey;
    const name = `${mod ? 'mod+' : ''}${event.key.toLowerCase()}`;
    if (!mod && typing(event.target)) return;
    if (mod && event.target instanceof HTMLElement && event.target.closest('.xterm') && !event.metaKey)
      return;
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
