import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './kit/host';
import { compose, drag, held, history, newShell, openByTouch } from './kit/terminal';
import { expect, test } from './kit/test';
import { TerminalViewer } from './kit/viewer';

test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });

const RECORD = (file: string, modes = '') =>
  `stty raw -echo; printf '${modes}re''ady'; cat > ${file}; stty sane\r`;
const typed = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

test('pitfall 14: a finger turns the wheel of a program that takes the mouse, and never reloads the page', async ({
  host,
  desk,
}) => {
  const { device, id, url } = await newShell(host);
  const viewer = await TerminalViewer.open(device, id, { cols: 60, rows: 24 });
  const client = await openByTouch(desk, url);
  await desk.getByRole('button', { name: 'Fit to this screen' }).click();
  const file = join(host.root, 'typed');
  viewer.type(RECORD(file, '\\033[?1000h\\033[?1006h'));
  await expect.poll(async () => (await history(desk)).rows.some((row) => row.includes('ready'))).toBe(true);
  await desk.evaluate(() => {
    Object.assign(window, { same: true });
  });
  await drag(client, 200, 440); // down: up in the history, and at its top a browser would reload
  await until('wheel up', () => /\x1b\[<64;\d+;\d+M/.test(typed(file)));
  expect(typed(file)).not.toMatch(/\x1b\[<65;/);
  await drag(client, 440, 200);
  await until('wheel down', () => /\x1b\[<65;\d+;\d+M/.test(typed(file)));
  const kept = await desk.evaluate(() => ({
    same: 'same' in window,
    scrolled: scrollY,
    touch: getComputedStyle(document.querySelector('[data-terminal]') as Element).touchAction,
    over: getComputedStyle(document.querySelector('[data-terminal]') as Element).overscrollBehaviorY,
  }));
  expect(kept).toEqual({ same: true, scrolled: 0, touch: 'none', over: 'contain' });
  device.close();
});

test('pitfall 15: with the keyboard for the terminal itself nothing is doubled', async ({ host, desk }) => {
  const { device, id, url } = await newShell(host);
  const viewer = await TerminalViewer.open(device, id, { cols: 60, rows: 24 });
  const client = await openByTouch(desk, url);
  const file = join(host.root, 'typed');
  viewer.type(RECORD(file));
  await viewer.shows('ready');
  await desk.getByRole('button', { name: 'Keyboard', exact: true }).tap();
  await compose(client, ['に', 'にほ', 'にほん'], '日本');
  await compose(client, ['ㅎ', '하', '한'], '한');
  // Gboard: a word is composed and chosen, and the space behind it comes at once.
  for (let i = 0; i < 10; i++) {
    await compose(client, ['w', 'wr', 'wro', 'wrod'], `word${i}`);
    await client.send('Input.insertText', { text: ' ' });
  }
  // Two spaces become a full stop, and a word is corrected that was there already; no key has a name.
  await desk.evaluate(() => {
    const field = document.querySelector<HTMLTextAreaElement>('[data-terminal] textarea');
    if (!field) return;
    const change = (inputType: string, value: string) => {
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Unidentified', keyCode: 229, bubbles: true }));
      field.dispatchEvent(new InputEvent('beforeinput', { inputType, bubbles: true, cancelable: true }));
      field.value = value;
      field.dispatchEvent(new InputEvent('input', { inputType, bubbles: true }));
    };
    change('deleteContentBackward', field.value.slice(0, -1));
    change('insertText', `${field.value}. `);
    change('insertReplacementText', field.value.replace('word9', 'sword'));
  });
  await desk.keyboard.press('x');
  await desk.keyboard.press('Backspace');
  await desk.keyboard.press('Enter');
  await until('the Enter', () => typed(file).endsWith('\r'));
  const words = Array.from({ length: 10 }, (_, i) => `word${i} `).join('');
  const corrected = `\x7f. ${'\x7f'.repeat(7)}sword. `;
  expect(typed(file)).toBe(`日本한${words}${corrected}x\x7f\r`);
  device.close();
});

test('pitfall 10: a message of two lines is one message, also when brackets were asked for within a flood', async ({
  host,
  desk,
}) => {
  const { device, id, url, pane } = await newShell(host);
  const viewer = await TerminalViewer.open(device, id, { cols: 60, rows: 24 });
  await openByTouch(desk, url);
  const file = join(host.root, 'typed');
  // What is printed while a flood is paused is seen by tmux only.
  viewer.type(`seq 1 3000000; ${RECORD(file, '\\033[?2004h')}`);
  await viewer.until('a flood', () => viewer.info.flood === true);
  await until('the end of it', async () => (await held(host, pane)).some((row) => row.endsWith('ready')));
  await viewer.until('calm', () => viewer.info.flood === false);
  const field = desk.getByLabel('Message');
  await field.fill('one\ntwo');
  await desk.getByRole('button', { name: 'Send' }).tap();
  await until('it came', () => typed(file).endsWith('\r'));
  expect(typed(file)).toBe('\x1b[200~one\ntwo\x1b[201~\r');
  device.close();
});
