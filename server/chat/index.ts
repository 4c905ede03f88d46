/**
 * The chat face of a session: its vendor's own transcript, read where it lies, as items a screen can show, and what the
 * agent is saying right now. Guarantees that nothing of it is copied or kept, and that a transcript which cannot be
 * read is said to be so instead of looking empty. It must never write, and never know a vendor by name.
 */
export { type Chat, type ChatDeps, createChat } from './chat';
