/** Pictures in messages and conversations: made fit to send, sent in pieces, fetched and shown. */
export { Picture } from './picture';
export { fitPicture, sendPicture } from './send-picture';
export { keepPicture } from './store';
