import { type CDPSession, expect, type Page } from '@playwright/test';
import { Device } from './device';
import type { TestHost } from './host';

interface Shown {
  buffer: {
    active: {
      type: string;
      length: number;
      baseY: number;
      viewportY: number;
      getLine(y: number): { translateToString(trim: boolean): string } | undefined;
    };
  };
  rows: number;
  cols: number;
}
type Box = Element & { terminal?: Shown };

/** The screen as the browser has it: the visible rows, blanks at the end cut. */
export const screen = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const term = (document.querySelector('[data-terminal]') as Box | null)?.terminal;
    if (!term) return [];
    const { active } = term.buffer;
    return Array.from(
      { length: term.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
    );
  });

/** Everything the browser's terminal holds, history first, and where its window onto it is. */
export const history = (page: Page): Promise<{ rows: string[]; top: number; type: string }> =>
  page.evaluate(() => {
    const { active } = (document.querySelector('[data-terminal]') as Box & { terminal: Shown }).terminal
      .buffer;
    const rows = Array.from(
      { length: active.length },
      (_, y) => active.getLine(y)?.translateToString(true) ?? '',
    );
    return { rows, top: active.viewportY, type: active.type };
  });

/** The screen as tmux holds it. */
export const held = async (host: TestHost, pane: string): Promise<string[]> =>
  (await host.tmux('capture-pane', '-p', '-t', pane)).replace(/\n$/, '').split('\n');

export const trimmed = (rows: string[]): string =>
  rows
    .map((row) => row.trimEnd())
    .join('\n')
    .trimEnd();

/** The numbers of lines like "row 17", in order. */
export const numbered = (rows: readonly string[], word: string): number[] =>
  rows.flatMap((row) => new RegExp(`^${word} (\\d+)$`).exec(row)?.[1] ?? []).map(Number);

export interface Shell {
  id: string;
  device: Device;
  pane: string;
  url: string;
}

/** A terminal session, without a browser that looks at it. */
export async function newShell(host: TestHost): Promise<Shell> {
  const device = await (await Device.enrol(await host.link())).connect();
  const session = await device.start(await device.project(await host.repository()), '', {
    vendor: 'terminal',
  });
  return { id: session.id, device, pane: session.pane ?? '', url: `${host.url}/session?id=${session.id}` };
}

/** A terminal session, open in this page, which decides its size. */
export async function shell(host: TestHost, page: Page): Promise<Shell> {
  const made = await newShell(host);
  await page.goto(made.url);
  await expect(page.locator('[data-terminal]')).toHaveAttribute('data-owner', 'you');
  return made;
}

/** A terminal on a phone, and the way to its fingers and its keyboard. */
export async function openByTouch(page: Page, url: string): Promise<CDPSession> {
  await page.goto(url);
  await expect(page.locator('[data-terminal] .xterm-screen')).toBeVisible();
  return page.context().newCDPSession(page);
}

/** A finger that goes down at one height and up at another, in steps. */
export async function drag(client: CDPSession, from: number, to: number): Promise<void> {
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 190, y }] });
  await touch('touchStart', from);
  for (let i = 1; i <= 12; i++) await touch('touchMove', from + ((to - from) * i) / 12);
  await touch('touchEnd');
}

/** Text as a keyboard composes it: each of `steps` replaces the one before, until `chosen` stands there. */
export async function compose(client: CDPSession, steps: readonly string[], chosen: string): Promise<void> {
  for (const text of steps) {
    const at = { selectionStart: text.length, selectionEnd: text.length };
    await client.send('Input.imeSetComposition', { text, ...at });
  }
  await client.send('Input.insertText', { text: chosen });
}
