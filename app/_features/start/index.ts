/** Starting: the new-session dialog (loaded when first opened) and the checklist of the first run. */
export { Preflight } from './preflight';
export { openStart, StartHost } from './start-host';
