/** Settings of this browser, and the devices of the host. */
export { Settings } from './settings';
