/** The board: every session as a card, grouped by what it needs. */
export { Board } from './board';
