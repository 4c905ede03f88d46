import type { OutgoingMessage, PaneAccess, PromptOutcome } from '../port';
import { inputBox } from './input-box';

const LOOK_MS = 80;
const BOX_MS = 2_000;
const TAKEN_MS = 3_000;
const COMMAND_MS = 500;

export interface Typist {
  pane: PaneAccess;
  /** Why nothing may be typed now (a dialog, a turn that runs), or null. Asked again right before each key. */
  obstacle(): string | null;
  /** Resolves true when the CLI says that it took a prompt that is `ours`; false after `ms`. */
  taken(ours: (prompt: string) => boolean, ms: number): Promise<boolean>;
}

/**
 * Pure. Words that stay words: a leading `!` would run a shell command without asking, `/` a command, a trailing
 * backslash makes Enter a line end, and after a trailing `@name` Enter takes the first file of the list that pops up
 * and sends nothing (2.1.197).
 */
export function asText(text: string): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(/\s+$/, '');
  const led = /^[-!/#@]/.test(clean) ? ` ${clean}` : clean;
  return led.endsWith('\\') || /(^|\s)@\S*$/.test(led) ? `${led} ` : led;
}

/** Pure. A command as it is typed. The space at its end closes the list in which Enter would choose another one. */
export const asCommand = (text: string): string => `${text.replace(/\r\n?/g, '\n').trim()} `;

/** Pure. The same words, however the CLI keeps their edges. */
export const sameWords = (a: string, b: string): boolean =>
  a.replace(/\s+/g, ' ').trim() === b.replace(/\s+/g, ' ').trim();

const IMAGES = /^(?:\s*\[Image\s+#\d+\])+/;
/** Pure. The words of a prompt without the marks that stand for pictures before them (2.1.197). */
export const withoutImages = (text: string): string => text.replace(IMAGES, '');
const imagesIn = (text: string): number => IMAGES.exec(text)?.[0].match(/#/g)?.length ?? 0;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Types one message into the input box. A dialog that is open swallows a paste and takes the Enter for "yes", so both
 * the CLI's own state and its screen are asked before each of the two, and what stands half typed is stashed first
 * (Ctrl-S; the CLI puts it back by itself after the message).
 */
export async function typeMessage(
  { text, command = false, images = [] }: Omit<OutgoingMessage, 'id'>,
  typist: Typist,
  typed: () => void,
): Promise<PromptOutcome> {
  const { pane } = typist;
  const box = async (): Promise<string | null> => inputBox(await pane.screen({ escapes: true }));
  const boxUntil = async (test: (content: string) => boolean): Promise<boolean> => {
    const end = performance.now() + BOX_MS;
    do {
      const content = await box();
      if (content !== null && test(content)) return true;
      await pause(LOOK_MS);
    } while (performance.now() < end);
    return false;
  };
  const notNow = (why: string): PromptOutcome => ({ outcome: 'not-now', why });
  const words = command ? asCommand(text) : asText(text);
  const ours = (prompt: string): boolean =>
    sameWords(images.length > 0 ? withoutImages(prompt) : prompt, words);

  const before = typist.obstacle();
  if (before !== null) return notNow(before);
  const content = await box();
  if (content === null) return notNow('Its input box is not on the screen.');
  if (content !== '') {
    await pane.key('C-s');
    if (!(await boxUntil((now) => now === ''))) {
      return notNow('Something half typed stands in its input box; send or clear it in the terminal.');
    }
  }
  const between = typist.obstacle();
  if (between !== null) return notNow(between);
  // Listening begins before the words are there: a fast CLI answers before the next line runs.
  let pasted = false;
  const taken = typist.taken(ours, BOX_MS * (1 + images.length) + TAKEN_MS);
  try {
    // A path that is pasted alone becomes a picture; it is read before its mark is shown.
    for (const [index, path] of images.entries()) {
      await pane.paste(path);
      pasted = true;
      if (!(await boxUntil((now) => imagesIn(now) > index))) {
        return { outcome: 'unsure', why: 'An image was pasted, and its input box does not show it as one.' };
      }
    }
    if (words !== '') await pane.paste(words);
  } catch (cause) {
    // A pane in copy mode, dead or closed refuses and writes nothing. Behind a picture that is in, another try would
    // stash that picture over what the person had stashed.
    const why = cause instanceof Error ? cause.message : String(cause);
    return pasted ? { outcome: 'unsure', why } : notNow(why);
  }
  // The marks of pictures are no sign that the words are in: an Enter before them would send the pictures alone.
  const shown = (now: string) =>
    (words === '' || images.length === 0 ? now : withoutImages(now).trim()) !== '';
  if (!(await boxUntil(shown))) {
    return { outcome: 'unsure', why: 'It was pasted, and its input box does not show it.' };
  }
  const late = typist.obstacle();
  if (late !== null) {
    return { outcome: 'unsure', why: 'It stands in the input box, not sent: a request opened meanwhile.' };
  }
  await pane.key('Enter');
  typed();
  // Most of the CLI's own commands are answered without a word to us; its record has them at once.
  if (command && (await boxUntil((now) => now === ''))) {
    return (await Promise.race([taken, pause(COMMAND_MS)]))
      ? { outcome: 'accepted' }
      : { outcome: 'unsure', why: 'The command was typed, and the agent’s record does not show it.' };
  }
  if (await taken) return { outcome: 'accepted' };
  // A paste that sits there unsubmitted: one more Enter is safe, if it is still our words in an input box.
  const left = await box();
  if (left !== null && left !== '' && typist.obstacle() === null) {
    const again = typist.taken(ours, TAKEN_MS);
    await pane.key('Enter');
    if (await again) return { outcome: 'accepted' };
    return { outcome: 'unsure', why: 'It stands in the input box and was not sent.' };
  }
  return { outcome: 'unsure', why: 'It was sent, and the agent has not said that it took it.' };
}
