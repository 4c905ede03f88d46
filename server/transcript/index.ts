/**
 * Reads the JSON-lines files in which vendors keep their conversations, by byte offset: tail first, pages both ways,
 * never a file whole. Holds back a last line that is still being written, gives a line that is too long by its size
 * only, and notices when the file was truncated or replaced. It never writes and knows no vendor.
 */
export { type Followed, followLines } from './follow';
export { generationOf, type Line, pageBefore, readLines, recordAt, type Stretch, tailEnd } from './lines';
