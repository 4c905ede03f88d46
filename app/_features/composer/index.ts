/** The message box, and the messages that are on their way. It sends words; what becomes of them the host says. */
export { Composer } from './composer';
export { OnTheirWay, useOnTheirWay } from './on-their-way';
