/** The board: every session as a card, grouped by what it needs. */
export { Board } from './board';
export { stateWords, toneOf } from './state-words';
