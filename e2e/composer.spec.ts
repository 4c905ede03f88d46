import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Device } from './kit/device';
import { type TestHost, until } from './kit/host';
import { expect, test } from './kit/test';
import { startVendor, vendorHost } from './kit/vendor-journey';

const box = (page: Page) => page.getByRole('combobox', { name: /^Message to/ });
const record = (host: TestHost, id: string) =>
  readFileSync(join(host.home, 'sessions', id, 'conversation.jsonl'), 'utf8');

async function opened(host: TestHost, desk: Page) {
  const device = await (await Device.enrol(await host.link())).connect();
  const session = await device.start(await device.project(await host.repository()), 'say ready');
  mkdirSync(join(session.cwd, 'src', 'deep'), { recursive: true });
  for (const [name, text] of [
    ['src/deep/retry-policy.ts', 'x'],
    ['src/my notes.txt', 'x'],
    ['secret.log', 'x'],
    ['.gitignore', '*.log\n'],
  ] as const) {
    writeFileSync(join(session.cwd, name), text);
  }
  await desk.goto(`${host.url}/session?id=${session.id}`);
  await expect(desk.getByText('ready', { exact: true })).toBeVisible();
  return { device, session };
}

test('a file is named by a few letters, an ignored one is not offered, and Enter then sends', async ({
  host,
  desk,
}) => {
  const { device, session } = await opened(host, desk);
  const files = desk.getByRole('listbox', { name: 'Files' });
  await box(desk).pressSequentially('look at @retpol');
  await expect(files.getByRole('option').first()).toHaveText('retry-policy.tssrc/deep/');
  await expect(box(desk)).toHaveAttribute('aria-expanded', 'true');
  await desk.keyboard.press('Enter');
  await expect(box(desk)).toHaveValue('look at @src/deep/retry-policy.ts ');
  await expect(files).toHaveCount(0);
  await box(desk).pressSequentially('and @secret');
  await expect(desk.getByText('No file of that name that git does not ignore.')).toBeVisible();
  await desk.keyboard.press('Escape');
  await expect(desk.getByText('No file of that name')).toHaveCount(0);
  await expect(box(desk)).toBeFocused();
  for (let i = 0; i < 'and @secret'.length; i++) await desk.keyboard.press('Backspace');
  // A folder leads on to what is in it; a name with a space is put in quotes.
  await box(desk).pressSequentially('@src/');
  await expect(files.getByRole('option').first()).toHaveText('src/');
  await box(desk).pressSequentially('my');
  await expect(files.getByRole('option').first()).toHaveText('my notes.txtsrc/');
  await files.getByRole('option').first().click();
  await expect(box(desk)).toHaveValue('look at @src/deep/retry-policy.ts @"src/my notes.txt" ');
  await desk.keyboard.press('Enter');
  await until('told', () => record(host, session.id).includes('my notes.txt'));
  await expect(box(desk)).toHaveValue('');
  device.close();
});

test('a command of the agent runs, anything else that begins with a slash is text', async ({
  host,
  desk,
}) => {
  const { device, session } = await opened(host, desk);
  await desk.getByRole('button', { name: 'Run a command of the agent' }).click();
  const list = desk.getByRole('listbox', { name: 'Commands' });
  await expect(list.getByRole('option', { name: /^greet/ })).toBeVisible();
  await desk.keyboard.press('Tab');
  await expect(box(desk)).toHaveValue('/greet ');
  await box(desk).pressSequentially('Ada');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('Hello Ada')).toBeVisible();
  await box(desk).pressSequentially('/etc/passwd');
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('You said: /etc/passwd')).toBeVisible();
  await box(desk).pressSequentially('/greeting');
  await expect(desk.getByText('No command of that name: it will be sent as text.')).toBeVisible();
  await desk.keyboard.press('Enter');
  await expect(desk.getByText('You said: /greeting')).toBeVisible();
  const sent = [...device.board.messages.values()].map(({ text, command }) => [text, command ?? false]);
  expect(sent).toEqual([
    ['/greet Ada', true],
    ['/etc/passwd', false],
    ['/greeting', false],
  ]);
  // With the arrows what was sent comes back, the newest first, and what was being written at the end.
  await desk.keyboard.press('ArrowUp');
  await expect(box(desk)).toHaveValue('/greeting');
  await desk.keyboard.press('Escape');
  await desk.keyboard.press('ArrowUp');
  await expect(box(desk)).toHaveValue('/etc/passwd');
  await desk.keyboard.press('ArrowDown');
  await desk.keyboard.press('ArrowDown');
  await expect(box(desk)).toHaveValue('');
  await expect(desk.getByText('Hello Ada')).toBeVisible();
  expect(record(host, session.id).match(/Hello Ada/g)).toHaveLength(1);
  device.close();
});

test('Claude Code’s own commands go through the queue in order: compact, clear, and what comes after', async ({
  page,
}) => {
  await vendorHost('claude', async ({ host, model, repo }) => {
    await startVendor(page, host, repo, { agent: 'Claude Code', branch: 'one', prompt: 'first words' });
    const device = await (await Device.enrol(await host.link())).connect();
    const session = await until('finished', () =>
      [...device.board.sessions.values()].find(({ state }) => state === 'finished'),
    );
    await page.goto(`${host.url}/session?id=${session.id}`);
    await expect(page.getByText('You said: first words')).toBeVisible();
    for (const text of ['/compact', '/clear', 'after the clear']) {
      await box(page).fill(text);
      if (text.startsWith('/')) await page.keyboard.press('Escape'); // closes the list; the field keeps the focus
      await page.keyboard.press('Enter');
      await expect(box(page)).toHaveValue('');
    }
    await until(
      'all are taken',
      () => [...device.board.messages.values()].filter(({ state }) => state === 'accepted').length === 3,
      60_000,
    );
    await expect(page.getByText('You said: after the clear')).toBeVisible();
    await expect(page.getByText('You said: first words')).toHaveCount(0);
    expect(model.log()).toContain('after the clear');
    expect(device.board.sessions.get(session.id)?.vendorSession).not.toBe(session.vendorSession);
    device.close();
  });
});

/** A picture of the given width, drawn by the browser; noise does not compress. */
const drawn = (page: Page, width: number, noise: boolean): Promise<Buffer> =>
  page
    .evaluate(
      ([side, noisy]) => {
        const canvas = document.createElement('canvas');
        canvas.width = side;
        canvas.height = side / 2;
        const context = canvas.getContext('2d')!;
        const data = context.createImageData(side, side / 2);
        for (let i = 0; i < data.data.length; i += 4)
          data.data.set(noisy ? [i % 251, (i * 7) % 241, Math.random() * 255, 255] : [20, 120, 220, 255], i);
        context.putImageData(data, 0, 0);
        return canvas.toDataURL('image/png').split(',')[1] ?? '';
      },
      [width, noise] as const,
    )
    .then((data) => Buffer.from(data, 'base64'));

test('an image that is left out while it is made ready stays out, and the next one goes', async ({
  host,
  desk,
}) => {
  const { device } = await opened(host, desk);
  const attached = desk.getByRole('list', { name: 'Images of the message' });
  const chooser = desk.getByTestId('images');
  const small = await drawn(desk, 64, false);
  const other = await drawn(desk, 32, false);
  await desk.evaluate(() => {
    const real = window.createImageBitmap;
    const held = new Promise<void>((resolve) => {
      (window as unknown as { letGo: () => void }).letGo = resolve;
    });
    window.createImageBitmap = (async (file: Blob) => {
      await held;
      return real(file);
    }) as typeof real;
  });
  await chooser.setInputFiles([
    { name: 'unwanted.png', mimeType: 'image/png', buffer: small },
    { name: 'wanted.png', mimeType: 'image/png', buffer: other },
  ]);
  const leaveOut = attached.getByRole('button', { name: 'Leave the image out' });
  await leaveOut.first().click();
  await desk.evaluate(() => (window as unknown as { letGo: () => void }).letGo());
  // They go one after the other: when the second is in, the first would have been.
  await expect(attached.getByRole('button', { name: /^Look at image/ })).toHaveCount(1);
  await box(desk).fill('what is it?');
  await box(desk).press('ControlOrMeta+Enter');
  await expect(desk.getByText('I see 1 image(s).')).toBeVisible();
  device.close();
});

test('images are chosen, pasted and dropped, survive a reload, go with the words and are seen in the record', async ({
  host,
  desk,
}) => {
  const { device, session } = await opened(host, desk);
  const attached = desk.getByRole('list', { name: 'Images of the message' });
  const chooser = desk.getByTestId('images');
  await expect(desk.getByRole('button', { name: 'Add an image' })).toBeVisible();
  const small = await drawn(desk, 64, false);
  const large = await drawn(desk, 2_600, true);
  expect(large.length).toBeGreaterThan(5 * 1024 * 1024);
  await chooser.setInputFiles([
    { name: 'a photo.png', mimeType: 'image/png', buffer: large },
    { name: 'small.png', mimeType: 'image/png', buffer: small },
  ]);
  await expect(attached.getByRole('button', { name: /^Look at image/ })).toHaveCount(2);
  await chooser.setInputFiles([
    { name: 'fake.png', mimeType: 'image/png', buffer: Buffer.from('not an image at all') },
  ]);
  await expect(attached.getByRole('alert')).toHaveText('This is not an image that can be read here.');
  await expect(desk.getByRole('button', { name: /^Send (Ctrl|⌘)/ })).toBeDisabled();
  await expect(desk.getByRole('button', { name: 'Try the image again' })).toHaveCount(0);
  await desk.getByRole('button', { name: 'Leave the image out' }).click();
  // Pasted and dropped, each as a browser hands it over.
  for (const how of ['paste', 'drop'] as const) {
    await box(desk).evaluate(async (field, kind) => {
      const canvas = document.createElement('canvas');
      canvas.width = kind === 'paste' ? 11 : 12;
      canvas.height = 10;
      const blob = await new Promise<Blob>((resolve) => canvas.toBlob((made) => resolve(made!)));
      const data = new DataTransfer();
      data.items.add(new File([blob], 'clip.png', { type: 'image/png' }));
      const options = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      );
    }, how);
    await expect(attached.getByRole('button', { name: /^Look at image/ })).toHaveCount(
      how === 'paste' ? 3 : 4,
    );
  }
  await attached.getByRole('button', { name: 'Take out image 4' }).click();
  await expect(attached.getByRole('button', { name: /^Look at image/ })).toHaveCount(3);
  await expect(desk.getByText(/^Draft kept/)).toBeVisible();
  await box(desk).fill('what is wrong here?');
  // In the middle of a word: what the host keeps is older.
  await desk.reload();
  await expect(box(desk)).toHaveValue('what is wrong here?');
  await expect(attached.getByRole('button', { name: /^Look at image/ })).toHaveCount(3);
  await box(desk).press('Enter');
  await expect(desk.getByText('I see 3 image(s).')).toBeVisible();
  await expect(attached).toHaveCount(0);
  const mine = desk.locator('[data-kind="user"]', { hasText: 'what is wrong here?' });
  await mine.getByRole('button', { name: 'Look at image 1' }).click();
  const whole = desk.getByRole('img', { name: 'image 1' });
  await expect(whole).toBeVisible();
  // Drawn smaller before it was sent, and whole.
  expect(
    await whole.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]),
  ).toEqual([2_000, 1_000]);
  await desk.keyboard.press('Escape');
  await expect(whole).toHaveCount(0);
  // In the order they were chosen, though the first took longer; the second went as it was.
  const [sent] = device.board.messages.values();
  expect(sent?.images).toHaveLength(3);
  expect(readFileSync(join(host.home, 'sessions', session.id, 'images', sent!.images![1]!))).toEqual(small);
  expect(record(host, session.id)).toContain(small.toString('base64'));
  // An image alone is a message too.
  await chooser.setInputFiles([{ name: 'small.png', mimeType: 'image/png', buffer: small }]);
  await expect(attached.getByRole('button', { name: 'Look at image 1' })).toBeVisible();
  await desk.getByRole('button', { name: /^Send (Ctrl|⌘)/ }).click();
  await expect(desk.getByText('I see 1 image(s).')).toBeVisible();
  expect([...device.board.messages.values()].map(({ text, images }) => [text, images?.length])).toEqual([
    ['what is wrong here?', 3],
    ['', 1],
  ]);
  device.close();
});
