/**
 * Messages to agents, from the moment a device sent them: kept, handed over in order and one at a time, accepted when
 * the agent was seen to take them. Guarantees that no acknowledged message is lost and none is handed over twice by
 * itself, whatever dies in between. It must never type anything but a person's own words.
 */
export { createImages, type Images } from './images';
export { createMessages, type Messages } from './messages';
export { type MessageReader, messageReader, messagesProjection } from './store';
