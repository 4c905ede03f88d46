import { TestHost } from './kit/host';
import { expect, test } from './kit/test';

test('the first page needs at most 200 KB of compressed script', async ({ host, page }) => {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  const scripts = new Map<string, number>();
  const kinds = new Map<string, string>();
  client.on('Network.responseReceived', (event) => kinds.set(event.requestId, event.type));
  client.on('Network.loadingFinished', (event) => {
    if (kinds.get(event.requestId) === 'Script') scripts.set(event.requestId, event.encodedDataLength);
  });
  await page.goto(await host.link());
  await expect(page.getByRole('heading', { name: 'No sessions yet' })).toBeVisible();
  const total = [...scripts.values()].reduce((sum, size) => sum + size, 0);
  console.log(`first page: ${(total / 1024).toFixed(0)} KB of compressed script in ${scripts.size} files`);
  expect(scripts.size).toBeGreaterThan(2);
  expect(total).toBeLessThanOrEqual(200 * 1024);
});

test('the head says its charset first, has a short title and names the CLIs in its preview', async ({
  host,
  page,
}) => {
  const html = await (await fetch(host.url)).text();
  expect(html.slice(0, 1024).toLowerCase()).toContain('charset="utf-8"');
  expect(html).toMatch(/<meta property="og:description" content="[^"]*Claude Code[^"]*Codex/);
  for (const path of ['/', '/needs', '/history', '/settings', '/session']) {
    await page.goto(host.url + path);
    expect((await page.title()).length).toBeLessThan(25);
  }
});

test('a browser that is not paired sees how to get in, and nothing else', async ({ host, page }) => {
  await page.goto(host.url);
  await expect(page.getByText('This browser is not paired with this host.')).toBeVisible();
  await expect(page.getByText('npx offdeck open')).toBeVisible();
  // Another page first: a new fragment alone does not load the page again.
  await page.goto('about:blank');
  await page.goto(`${host.url}/#odl_${'x'.repeat(43)}`);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('offdeck open');
});

test('in development the client comes from its sources and reloads by itself; otherwise neither is there', async ({
  host,
  page,
}) => {
  const reloader = '/_next/hmr';
  expect((await fetch(host.url + reloader)).status).toBe(404); // control: what a user runs
  const dev = new TestHost({ OFFDECK_DEV: '1' });
  try {
    await dev.start();
    const told: string[] = [];
    page.on('websocket', (socket) => {
      if (socket.url().includes(reloader))
        socket.on('framereceived', (frame) => told.push(String(frame.payload)));
    });
    await page.goto(await dev.link());
    await expect(page.getByRole('heading', { name: 'No sessions yet' })).toBeVisible({ timeout: 60_000 });
    await expect.poll(() => told.length).toBeGreaterThan(0);
  } finally {
    await dev.dispose();
  }
});

test('S-13: no link makes the page speak to another host', async ({ host, desk }) => {
  const asked: string[] = [];
  desk.on('request', (request) => asked.push(request.url()));
  desk.on('websocket', (socket) => asked.push(socket.url().replace('ws:', 'http:')));
  for (const path of [
    '/?host=evil.example&server=ws://evil.example',
    '/?url=http://evil.example/ws/rpc',
    '/#host=evil.example',
    `/#odl_${'x'.repeat(43)}@evil.example`,
    '/session?id=aaaaaaaaaa&host=ws://evil.example',
  ]) {
    await desk.goto('about:blank');
    await desk.goto(host.url + path);
    await expect(desk.getByRole('main').getByRole('heading').first()).toBeVisible();
  }
  expect(asked.some((url) => url.startsWith(`${host.url}/ws/rpc`))).toBe(true);
  expect(asked.filter((url) => !url.startsWith(host.url) && url !== 'about:blank')).toEqual([]);
});
