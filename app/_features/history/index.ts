/** Sessions that have ended, those off the board too: found by name, words or branch, opened, resumed, put back. */

export { archive } from './archive';
export { History } from './history';
