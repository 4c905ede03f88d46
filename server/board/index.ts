/** The board: one live view over all projections, for every screen. Reads and tells; decides nothing. */
export { type Board, createBoard } from './board';
