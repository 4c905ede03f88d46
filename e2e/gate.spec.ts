import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, expect, test } from '@playwright/test';
import WebSocket from 'ws';
import { Device } from './kit/device';
import { TestHost, until } from './kit/host';

/** A page of somebody else's, served from another port of this machine. */
async function hostilePage(): Promise<{ url: string; close(): void }> {
  const server = http.createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html');
    reply.end('<!doctype html><title>hostile</title><iframe id="opaque" sandbox="allow-scripts"></iframe>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Runs in the page: what each way in answers. */
const tryEverything = async (target: string) => {
  const attempt = async (what: () => Promise<string>) => {
    try {
      return await what();
    } catch (error) {
      return `refused: ${(error as Error).name}`;
    }
  };
  const socket = (path: string) =>
    new Promise<string>((done) => {
      const ws = new WebSocket(target.replace('http', 'ws') + path);
      ws.onmessage = (event) => done(`message ${String(event.data).slice(0, 40)}`);
      ws.onerror = () => done('refused');
    });
  return {
    read: await attempt(async () => (await fetch(`${target}/healthz`)).text()),
    post: await attempt(async () =>
      (
        await fetch(`${target}/auth/enrol`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).text(),
    ),
    simplePost: await attempt(async () => {
      const reply = await fetch(`${target}/auth/enrol`, { method: 'POST', mode: 'no-cors', body: '{}' });
      return `opaque ${reply.type} ${reply.status}`;
    }),
    rpc: await socket('/ws/rpc'),
    term: await socket('/ws/term'),
  };
};

let host: TestHost;
test.beforeEach(async () => {
  host = await new TestHost().start();
});
test.afterEach(() => host.dispose());

test('a page on another port, and an opaque origin, can read nothing and open nothing', async ({ page }) => {
  const hostile = await hostilePage();
  await page.goto(hostile.url);
  const fromPage = await page.evaluate(tryEverything, host.url);
  expect(fromPage.read).toMatch(/^refused/);
  expect(fromPage.post).toMatch(/^refused/);
  expect(fromPage.rpc).toBe('refused');
  expect(fromPage.term).toBe('refused');
  const frame = page.frames()[1];
  const fromOpaque = await frame?.evaluate(tryEverything, host.url);
  expect(fromOpaque).toMatchObject({ rpc: 'refused', term: 'refused' });
  expect(fromOpaque?.post).toMatch(/^refused/);
  // The control: our own page may.
  await page.goto(host.url);
  const own = await page.evaluate(tryEverything, host.url);
  expect(own.read.trim()).toBe('ok');
  expect(own.rpc).toMatch(/^message .*challenge/);
  hostile.close();
});

test('a name that resolves to this machine is not this host', async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP evil.test 127.0.0.1'],
  });
  const page = await browser.newPage();
  const reply = await page.goto(`http://evil.test:${host.port}/`);
  expect(reply?.status()).toBe(421);
  await browser.close();
});

test('a launch code works once, and a wrong one says what to do', async () => {
  const link = await host.link();
  await Device.enrol(link);
  await expect(Device.enrol(link)).rejects.toThrow(/401|403/);
  await expect(Device.enrol(`${host.url}/#${'x'.repeat(47)}`)).rejects.toThrow(/offdeck open/);
});

test('a revoked device is cut off at once and gets no further', async () => {
  const admin = await (await Device.enrol(await host.link())).connect();
  const other = await Device.enrol(await host.link());
  const socket = await other.socket('/ws/rpc');
  const closed = new Promise<number>((done) => socket.once('close', done));
  const began = performance.now();
  await admin.mutate('devices.revoke', { id: other.id });
  expect(await closed).toBe(4403);
  expect(performance.now() - began).toBeLessThan(1_000);
  await expect(other.socket('/ws/rpc')).rejects.toThrow(/closed/);
  admin.close();
});

test('a first frame that is too large, wrong or late closes the socket, and others do not notice', async () => {
  const device = await (await Device.enrol(await host.link())).connect();
  const raw = (send: (ws: WebSocket) => void) =>
    new Promise<number>((done) => {
      const ws = new WebSocket(`${host.url.replace('http', 'ws')}/ws/rpc`, { origin: host.url });
      ws.on('error', () => {});
      ws.on('open', () => send(ws));
      ws.on('close', (code) => done(code));
    });
  expect(await raw((ws) => ws.send('x'.repeat(100_000)))).not.toBe(1000);
  expect(await raw((ws) => ws.send('{}'))).toBeGreaterThanOrEqual(4400);
  expect(await raw(() => {})).toBeGreaterThanOrEqual(4400); // says nothing for five seconds
  expect(await device.query('board.snapshot')).toBeTruthy();
  device.close();
});

test('nothing secret is left in the browser, the address or the state folder’s listing', async ({ page }) => {
  const link = await host.link();
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Board' })).toBeVisible();
  await until('the fragment is gone', () => !page.url().includes('#'));
  const kept = await page.evaluate(() => ({
    cookie: document.cookie,
    local: JSON.stringify({ ...localStorage }),
    session: JSON.stringify({ ...sessionStorage }),
  }));
  const code = link.split('#')[1] ?? 'none';
  for (const text of [kept.cookie, kept.local, kept.session, host.output]) expect(text).not.toContain(code);
  expect(kept.cookie).toBe('');
});
