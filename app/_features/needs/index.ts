/** Needs: what waits for the person, whole, with the answer where the question is. */
export { Inbox } from './inbox';
export { NeedCard } from './need-card';
export { SettledNote } from './settled-note';
