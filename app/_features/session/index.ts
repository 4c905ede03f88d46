/** One session: its state with the evidence, what it asks, and its terminal. */
export { SessionScreen } from './session-screen';
