import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppError, EnrolReply } from '../contract';
import { dial, enrolBody, newKey, postEnrol } from './browser.fake';
import { CHUNK, freePort, startHost, type TestHost } from './host.fake';
import { portOwner } from './port-owner';
import { HTTP_ROUTES, SOCKET_ROUTES } from './routes';

let host: TestHost;
beforeAll(async () => {
  host = await startHost();
});
afterAll(() => host.close());

/** With node:http, which sends a path as it is written; fetch would tidy it up first. */
const request = (
  path: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
) =>
  new Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const req = http.request(
      { host: '127.0.0.1', port: host.port, path, method, headers: { ...headers } },
      (res) => {
        let text = '';
        res.on('data', (chunk) => (text += String(chunk)));
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, text }));
      },
    );
    req.on('error', reject);
    req.end(body);
  });

describe('what is served', () => {
  it('is public only where it is written down (S-01)', () => {
    const open = [...Object.entries(HTTP_ROUTES), ...Object.entries(SOCKET_ROUTES)]
      .filter(([, route]) => route.access === 'public')
      .map(([name]) => name);
    expect(open).toEqual(['health', 'enrol', 'shell']);
    for (const route of Object.values(SOCKET_ROUTES)) expect(route.access).toBe('device');
  });

  it('is the client, compressed as the browser likes', async () => {
    const page = await request('/session?id=abc');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Session');
    const nonce = /data-style-nonce="([\w-]{22})"/.exec(page.text)![1]!;
    expect(page.headers['content-security-policy']).toContain(`'nonce-${nonce}'`);
    expect((await request('/session')).text).not.toContain(nonce);

    for (const [accept, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const chunk = await request('/_next/static/a.js', { headers: { 'accept-encoding': accept } });
      expect(chunk.headers['content-encoding'], accept).toBe(encoding);
    }
    const plain = await request('/_next/static/a.js');
    expect(plain.text).toBe(CHUNK);
    const again = await request('/_next/static/a.js', { headers: { 'if-none-match': plain.headers.etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const decoded = await fetch(`${host.origin}/`, { headers: { 'accept-encoding': 'gzip' } });
    expect(decoded.headers.get('content-encoding')).toBe('gzip');
    expect(await decoded.text()).toContain('Board');
    const head = await request('/', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('is nothing else, whatever the path', async () => {
    for (const path of [
      '/etc/passwd',
      '/../../../../etc/passwd',
      '/..%2f..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/_next/static/../../index.html',
      '/_next/static/%2e%2e/a.js',
      '/_next//static/a.js',
      '/./sw.js',
      '/sw.js/',
      '/sw.js%00.txt',
      '/SW.JS',
      '/index.html',
      '/session.html',
      '/404',
      '/404.html',
      '/_next/static/a.js.map',
      '/_next/image?url=http://169.254.169.254/&w=64&q=75',
      '/_next/data/build/index.json',
      '/api/anything',
      '/trpc/board.snapshot',
      '/ws/rpc',
      '/ws/term',
      '/__proto__',
      '/constructor',
    ]) {
      const answer = await request(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text).toContain('Nothing here');
    }
    expect((await request('/auth/enrol')).status).toBe(405);
    const own = { origin: host.origin };
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      expect((await request('/', { method, headers: own })).status).toBe(405);
      expect((await request('/ws/rpc', { method, headers: own })).status).toBe(405);
    }
    expect(host.calls).toEqual([]);
  });

  it('has no framework endpoint (S-10)', async () => {
    const own = { origin: host.origin };
    const probes: [string, object][] = [
      ['/', { ...own, 'next-action': '0'.repeat(40), 'content-type': 'multipart/form-data; boundary=x' }],
      ['/session', { ...own, 'next-action': 'x', 'content-type': 'text/plain;charset=UTF-8' }],
    ];
    const body =
      '--x\r\nContent-Disposition: form-data; name="0"\r\n\r\n{"then":"$1:__proto__:then"}\r\n--x--\r\n';
    for (const [path, headers] of probes) {
      expect((await request(path, { method: 'POST', headers, body })).status).toBe(400);
    }
    for (const name of ['x-middleware-subrequest', 'rsc', 'next-router-state-tree', 'next-router-prefetch']) {
      const value = 'middleware:middleware:middleware:middleware:middleware';
      expect((await request('/', { headers: { [name]: value } })).status, name).toBe(400);
      expect((await request('/session', { headers: { [name]: value } })).status, name).toBe(400);
    }
    const payload = await request('/session.txt?_rsc=1', {
      headers: { rsc: '1', 'next-router-prefetch': '1' },
    });
    expect([payload.status, payload.text]).toEqual([200, '0:{"a":"payload of the session page"}']);
  });

  it('always has the same headers, and none that opens it (S-05)', async () => {
    const own = { origin: host.origin, 'content-type': 'application/json' };
    const answers = {
      page: await request('/'),
      missing: await request('/nowhere'),
      file: await request('/manifest.webmanifest'),
      script: await request('/_next/static/a.js'),
      worker: await request('/sw.js'),
      health: await request('/healthz'),
      enrol: await request('/auth/enrol', { method: 'POST', headers: own, body: '{}' }),
      preflight: await request('/auth/enrol', {
        method: 'OPTIONS',
        headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
      }),
      foreignHost: await request('/', { headers: { host: 'evil.example' } }),
      method: await request('/', { method: 'DELETE', headers: own }),
    };
    const shown = Object.fromEntries(
      Object.entries(answers).map(([name, { status, headers }]) => {
        const { date: _, ...rest } = headers;
        for (const header of Object.keys(rest)) {
          expect(header).not.toMatch(/^(access-control|set-cookie|server$|x-powered-by)/);
        }
        return [name, { status, ...rest }];
      }),
    );
    const text = JSON.stringify(shown, null, 2)
      .replaceAll(String(host.port), 'PORT')
      .replace(/nonce-[\w-]{22}/g, 'nonce-NONCE');
    expect(text).toMatchSnapshot();
    const raw = await host.raw(
      `GET /ws/rpc HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 403 /);
    for (const line of ['Cross-Origin-Resource-Policy: same-origin', 'X-Content-Type-Options: nosniff']) {
      expect(raw).toContain(line);
    }
  });
});

describe('POST /auth/enrol', () => {
  it('makes a device, once for a code, also when two ask at the same time', async () => {
    const code = host.auth.newLaunchCode();
    const before = host.auth.list().length;
    const bodies = await Promise.all(Array.from({ length: 8 }, () => enrolBody(host, code)));
    const answers = await Promise.all(bodies.map((body) => postEnrol(host, body)));
    const won = answers.filter((answer) => answer.status === 200);
    expect(won).toHaveLength(1);
    expect(EnrolReply.parse(await won[0]!.json()).serverId).toBe(host.auth.serverId);
    const lost = answers.find((answer) => answer.status !== 200)!;
    expect(lost.status).toBe(401);
    expect(await lost.json()).toEqual({
      code: 'signed-out',
      message: 'This link has been used already or is older than a minute.',
      hint: 'Run "offdeck open" on the host for a new link.',
    });
    expect(host.auth.list()).toHaveLength(before + 1);
  });

  it('refuses what is not exactly such a request, without burning the code', async () => {
    const code = host.auth.newLaunchCode();
    const good = await enrolBody(host, code);
    const wrongKey = JSON.stringify({ ...JSON.parse(good), publicKey: (await newKey()).publicKey });
    for (const [what, body, headers, status] of [
      ['no JSON', 'hello', {}, 400],
      ['nothing', '', {}, 400],
      ['another type', good, { 'content-type': 'text/plain' }, 400],
      ['too large', JSON.stringify({ ...JSON.parse(good), more: 'x'.repeat(5_000) }), {}, 400],
      ['another key', wrongKey, {}, 400],
      ['another origin', good, { origin: `http://localhost:${host.port}` }, 400],
      ['a foreign origin', good, { origin: 'http://evil.example' }, 403],
      ['a wrong code', await enrolBody(host, `odl_${'x'.repeat(43)}`), {}, 401],
    ] as const) {
      const answer = await postEnrol(host, body, headers);
      expect([what, answer.status]).toEqual([what, status]);
    }
    expect((await postEnrol(host, good)).status).toBe(200);
    expect(host.warnings).toEqual([]);
  });
});

describe('in development', () => {
  it('the framework’s server gets what passed the gate and is not ours', async () => {
    const seen: string[] = [];
    const dev = await startHost({
      shell: null,
      devHandler: {
        request: (req, res) => {
          seen.push(`${req.method} ${req.url}`);
          res.end('from the framework');
        },
        upgrade: (req, socket) => {
          seen.push(`upgrade ${req.url}`);
          // One is refused, the other is left open for `close` to end.
          if (req.url?.endsWith('=1')) socket.end('HTTP/1.1 418 x\r\n\r\n');
        },
      },
    });
    const page = await fetch(`${dev.origin}/session`, { headers: { rsc: '1' } });
    expect(await page.text()).toBe('from the framework');
    expect(page.headers.get('content-security-policy')).toContain("'unsafe-eval'");
    expect(page.headers.get('content-security-policy')).toContain(`connect-src ${dev.origin} ws:`);
    await expect(dial(dev, '/_next/webpack-hmr?id=1')).rejects.toThrow('418');
    await expect(dial(dev, '/_next/webpack-hmr', { origin: 'http://evil.example' })).rejects.toThrow('403');
    await expect(dial(dev, '/other')).rejects.toThrow('404');
    (await dial(dev, '/ws/rpc')).ws.terminate();
    expect((await fetch(`${dev.origin}/x`, { method: 'POST', body: 'x' })).status).toBe(403);
    expect(await (await fetch(`${dev.origin}/healthz`)).text()).toBe('ok\n');
    const hung = dial(dev, '/_next/webpack-hmr?id=2');
    await expect
      .poll(() => seen)
      .toEqual(['GET /session', 'upgrade /_next/webpack-hmr?id=1', 'upgrade /_next/webpack-hmr?id=2']);
    await Promise.all([dev.close(), expect(hung).rejects.toThrow()]);
    expect((await request('/')).headers['content-security-policy']).not.toContain('unsafe-eval'); // control
  });
});

describe('the port', () => {
  it('pitfall 22: is bound on the loopback addresses and nowhere else (S-02)', async () => {
    if (process.platform !== 'linux') return;
    const suffix = `:${host.port.toString(16).toUpperCase().padStart(4, '0')}`;
    const listening = ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((table) => readFileSync(table, 'utf8').split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
      .map((fields) => fields[1]!.slice(0, -suffix.length));
    const loopback = ['0100007F', '00000000000000000000000001000000'];
    expect(listening.length).toBeGreaterThan(0);
    for (const address of listening) expect(loopback).toContain(address);
  });

  it('that is taken is named with its owner, in either family, and never swapped for another', async () => {
    for (const [family, hasIt] of [
      ['127.0.0.1', true],
      ['::1', await canBind('::1')],
    ] as const) {
      if (!hasIt) continue;
      const port = await freePort();
      const script = `require('net').createServer().listen(${port}, '${family}', () => console.log('up'))`;
      const squatter = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(squatter.stdout, 'data');
      try {
        const error = (await startHost({ port }).catch((thrown: unknown) => thrown)) as AppError;
        expect(error.toShape()).toEqual({
          code: 'conflict',
          message: `Port ${port} is taken by node (process ${squatter.pid}).`,
          hint: 'Stop it, or set OFFDECK_PORT to a free port.',
        });
        expect(await canBind(family === '::1' ? '127.0.0.1' : '::1', port)).toBe(true); // nothing is left half bound
      } finally {
        squatter.kill();
        await once(squatter, 'exit');
      }
    }
  });

  it('must be a port', async () => {
    for (const port of [0, -1, 65_536, 1.5, Number.NaN]) {
      await expect(startHost({ port })).rejects.toMatchObject({ code: 'bad-input' });
    }
    expect(await portOwner(await freePort())).toBeNull();
  });

  it('is free again after close, with sockets open', async () => {
    const other = await startHost();
    const line = await dial(other, '/ws/rpc');
    const idle = net.connect(other.port, '127.0.0.1');
    await once(idle, 'connect');
    await other.close();
    expect((await line.closed).code).toBe(4001);
    await (await startHost({ port: other.port })).close();
    idle.destroy();
  });
});

const canBind = (address: string, port = 0): Promise<boolean> =>
  new Promise((done) => {
    const server = net.createServer();
    server.on('error', () => done(false));
    server.listen(port, address, () => server.close(() => done(true)));
  });
