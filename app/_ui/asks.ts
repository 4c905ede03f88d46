/** What any part of a screen may ask of the frame around it, without knowing the frame. */
export type Asked = 'menu' | 'palette' | 'help' | 'start' | 'full' | 'toast';
export interface Toast {
  text: string;
  act?: { label: string; run: () => void };
}

export const ask = (what: Asked, detail?: Toast): void =>
  void dispatchEvent(new CustomEvent(`offdeck-${what}`, { detail }));

/** Returns the function that stops listening. */
export function onAsk(what: Asked, act: (detail: Toast | undefined) => void): () => void {
  const listener = (event: Event) => act((event as CustomEvent<Toast | undefined>).detail);
  addEventListener(`offdeck-${what}`, listener);
  return () => removeEventListener(`offdeck-${what}`, listener);
}

/** A word about the result of the person's own act; never about what an agent did. */
export const toast = (text: string, act?: Toast['act']): void => ask('toast', act ? { text, act } : { text });
