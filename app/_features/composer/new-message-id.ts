const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** A name for a message that only this device would choose: sent twice over a bad line it stays one message. */
export const newMessageId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => LETTERS[byte & 31]).join('');
