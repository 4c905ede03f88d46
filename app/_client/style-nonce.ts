/**
 * Style sheets made at run time (the terminal's, a dialog's scroll lock) carry this answer's nonce: the page's policy
 * allows no others, and the libraries that make them have no way to be told. Only <style> is touched.
 */
export function giveStylesTheirNonce(): void {
  const nonce = document.documentElement.dataset.styleNonce;
  if (!nonce || nonce.startsWith('__')) return;
  const make = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = make(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  }) as typeof document.createElement;
}
