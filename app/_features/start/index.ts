/** Starting: the new-session dialog (loaded when first opened) and the checklist of the first run. */
export { FirstRun } from './first-run';
export { StartHost } from './start-host';
