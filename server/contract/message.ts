import { z } from 'zod';
import { MessageId, SessionId } from './ids';
import { ImageName, MAX_IMAGES } from './image';

/**
 * Life of a message to an agent: `kept` on the host, `typing` while it is handed over (the moment in which a crash would
 * leave it open whether it arrived), `typed` when it was handed over, `accepted` when the agent was seen to take it.
 * `unsure` is the honest end of the middle ones: it may or may not have arrived, and only a person may send it again.
 */
export const MessageState = z.enum(['kept', 'typing', 'typed', 'accepted', 'unsure', 'removed']);
export type MessageState = z.infer<typeof MessageState>;

export const MAX_MESSAGE = 100_000;

export const Message = z.object({
  id: MessageId,
  sessionId: SessionId,
  text: z.string(),
  state: MessageState,
  note: z.string().nullable(), // why it waits or what is not known, in a sentence
  place: z.number(), // order in the queue
  command: z.boolean().optional(), // true: a command of the vendor's, not words
  images: z.array(ImageName).optional(), // go before the words
  by: z.string(), // label of the device that wrote it
  created: z.number(),
  moved: z.number(), // when it came into its state
});
export type Message = z.infer<typeof Message>;

/** The command a text names, or null: "/name" or "/name words", never anything else that begins with a slash. */
export const commandOf = (text: string): string | null =>
  /^\/([A-Za-z0-9][\w:.-]{0,99})(?:\s|$)/.exec(text.trim())?.[1] ?? null;

/** What a device sends. The id is the device's own: sent twice over a bad line it is one message. */
export const SendMessage = z.object({
  sessionId: SessionId,
  id: MessageId,
  text: z.string().max(MAX_MESSAGE), // may be empty beside an image
  /** The person means a command of the vendor's, which the text begins with. Without it `/` is text like any other. */
  command: z.boolean().optional(),
  images: z.array(ImageName).max(MAX_IMAGES).optional(),
});
export type SendMessage = z.infer<typeof SendMessage>;

/** What is written and not sent. */
export const Draft = z.object({
  text: z.string().max(MAX_MESSAGE),
  images: z.array(ImageName).max(MAX_IMAGES),
});
export type Draft = z.infer<typeof Draft>;
