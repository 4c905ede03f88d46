/* `npm run screens`: starts the demo and takes the pictures of docs/screens, dark, light and on a phone. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { chromium, expect } from '@playwright/test';
import { buildStale } from './build.mjs';
import { findChromium } from './find-program.mjs';
import { root } from './steps.mjs';

const folder = join(root, 'docs', 'screens');
mkdirSync(folder, { recursive: true });
await buildStale();

const port = await new Promise((done) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const taken = server.address().port;
    server.close(() => done(taken));
  });
});
const host = spawn(process.execPath, [join(root, 'dist', 'cli.mjs'), 'start', '--demo', '--no-open'], {
  env: { ...process.env, OFFDECK_PORT: String(port) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const link = await new Promise((done, fail) => {
  let text = '';
  host.stdout.on('data', (chunk) => {
    text += chunk;
    const found = /http:\/\/\S+#\S+/.exec(text);
    if (found) done(found[0]);
  });
  host.once('exit', () => fail(new Error('the demo did not start')));
});
const browser = await chromium.launch({
  executablePath: findChromium() ?? 'chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const desk = { width: 1440, height: 900 };
const page = await browser.newPage({ viewport: desk });
const base = `http://127.0.0.1:${port}`;
const theme = (name) =>
  page.evaluate((value) => {
    document.documentElement.dataset.theme = value;
  }, name);
const take = async (name) => {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`docs/screens/${name}.png\n`);
};
try {
  // The empty board with its checklist is there for a moment before the first session starts.
  await page.goto(link);
  await page.getByText('Search index').first().waitFor({ timeout: 60_000 });
  await page.getByText('Finished ·').first().waitFor({ timeout: 60_000 });
  for (const name of ['dark', 'light']) {
    await theme(name);
    await take(`board-${name}`);
  }
  await page.getByRole('link', { name: 'Upload race' }).first().click();
  await page.getByRole('radio', { name: 'Split' }).click();
  await page.locator('.xterm-rows').getByText('Run this command').waitFor();
  await theme('dark');
  await take('session-split-dark');
  await page.goto(base);
  await page.getByRole('link', { name: 'Retry backoff' }).first().click();
  await page.getByRole('radio', { name: 'Chat' }).click();
  await page.getByRole('button', { name: /Edit src/ }).click();
  await page.getByRole('combobox', { name: /^Message to/ }).fill('Also log the wait that was chosen.');
  await page.getByText(/^Draft kept on/).waitFor();
  for (const name of ['dark', 'light']) {
    await theme(name);
    await take(`session-${name}`);
  }
  await page.goto(base);
  await theme('dark');
  await page.getByRole('button', { name: /New session/ }).click();
  await page.getByRole('dialog').getByLabel('Branch').fill('retry-limit');
  await page
    .getByRole('dialog')
    .getByLabel('Prompt')
    .fill('Cap the retry backoff at 30 seconds and add jitter.');
  await page
    .getByRole('dialog')
    .getByText(/from main@/)
    .first()
    .waitFor({ state: 'attached' });
  await take('new-session-dark');
  await page.keyboard.press('Escape');
  await page.goto(`${base}/settings`);
  await page.getByText('turns green by itself').waitFor();
  await expect(page.getByText('Looking …')).toHaveCount(0, { timeout: 30_000 });
  await theme('dark');
  await take('first-run-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(base);
  await page.getByRole('main').getByText('Upload race').first().waitFor();
  for (const name of ['dark', 'light']) {
    await theme(name);
    await take(`board-390-${name}`);
  }
  await page.goto(`${base}/needs`);
  await page.getByRole('main').getByText('Upload race').first().waitFor();
  await theme('dark');
  await take('needs-390-dark');
  await page.goto(base);
  await page.getByRole('main').getByText('Retry backoff').first().click();
  await page.getByText('Running the whole suite').waitFor();
  await theme('dark');
  await take('session-390-dark');
} finally {
  await browser.close();
  host.kill('SIGTERM');
  await new Promise((done) => host.once('exit', done));
}
