/** The chat face of a session. It only draws what the host reads from the vendor's own record. */
export { ChatView } from './chat-view';
