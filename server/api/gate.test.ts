import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate, type GateRequest } from './gate';
import { startHost, type TestHost } from './host.fake';

const PORT = 7433;
const PROXY = 'https://box.tail1234.ts.net';
const gate = createGate({
  port: PORT,
  proxyOrigins: [PROXY],
  clientPayload: (path) => path === '/session.txt',
});
const ask = (change: Partial<GateRequest> & { headers?: string[] } = {}) => {
  const { headers = ['Host', `127.0.0.1:${PORT}`], ...rest } = change;
  const verdict = gate.judge({ method: 'GET', url: '/', upgrade: false, rawHeaders: headers, ...rest });
  return verdict.ok ? 200 : verdict.status;
};
const HOST = ['Host', `127.0.0.1:${PORT}`];

/** Host header lines as they go over the wire; PORT stands for the port. */
const BAD_HOSTS: string[] = [
  '', // none at all
  'Host:',
  'Host: ',
  'Host: 127.0.0.1',
  'Host: localhost',
  'Host: [::1]',
  'Host: ::1:PORT',
  'Host: 127.0.0.1:',
  'Host: 127.0.0.1:80',
  'Host: 127.0.0.1:0PORT',
  'Host: 127.0.0.1:+PORT',
  'Host: 127.0.0.1:PORT0',
  'Host: 127.0.0.1: PORT',
  'Host: 127.0.0.1 :PORT',
  'Host: 127.0.0.1:PORT/',
  'Host: 127.0.0.1:PORT/x',
  'Host: 127.0.0.1:PORT?x',
  'Host: 127.0.0.1:PORT#x',
  'Host: 127.0.0.1:PORT:PORT',
  'Host: 127.0.0.1.:PORT',
  'Host: localhost.:PORT',
  'Host: localhost..:PORT',
  'Host: .localhost:PORT',
  'Host: LOCALHOST:PORT',
  'Host: Localhost:PORT',
  'Host: user@127.0.0.1:PORT',
  'Host: user:pass@localhost:PORT',
  'Host: 127.0.0.1:PORT@evil.example',
  'Host: http://127.0.0.1:PORT',
  'Host: //127.0.0.1:PORT',
  'Host: 127.0.0.1:PORT,evil.example',
  'Host: 127.0.0.1:PORT, 127.0.0.1:PORT',
  'Host: 127.0.0.1:PORT evil.example',
  'Host: 127.0.0.1:PORT\tx',
  'Host: "127.0.0.1:PORT"',
  'Host: 127.0.0.2:PORT',
  'Host: 127.1:PORT',
  'Host: 127.0.1:PORT',
  'Host: 2130706433:PORT',
  'Host: 0x7f000001:PORT',
  'Host: 0177.0.0.1:PORT',
  'Host: 127.000.000.001:PORT',
  'Host: 0.0.0.0:PORT',
  'Host: 0:PORT',
  'Host: [::]:PORT',
  'Host: [0:0:0:0:0:0:0:1]:PORT',
  'Host: [::ffff:127.0.0.1]:PORT',
  'Host: [::1%25lo]:PORT',
  'Host: [::1].:PORT',
  'Host: 192.168.1.10:PORT',
  'Host: evil.example',
  'Host: evil.example:PORT',
  'Host: 127.0.0.1.evil.example:PORT',
  'Host: localhost.evil.example:PORT',
  'Host: evil-localhost:PORT',
  'Host: 127.0.0.1.nip.io:PORT',
  'Host: xn--lcalhost-54a:PORT',
  'Host: loc%61lhost:PORT',
  'Host: null',
  'Host: undefined:PORT',
  'Host: *:PORT',
  'Host: 127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT',
  'Host: 127.0.0.1:PORT\r\nHost: evil.example',
  'Host: evil.example\r\nHost: 127.0.0.1:PORT',
  'Host: 127.0.0.1:PORT\r\nhost: evil.example',
  'X-Forwarded-Host: 127.0.0.1:PORT',
  'Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1:PORT',
  'Host : 127.0.0.1:PORT',
  'Host: evil.example\r\n Host: 127.0.0.1:PORT',
];

describe('over a raw socket', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startHost({ hosts: [PROXY] });
  });
  afterAll(() => host.close());

  const UPGRADE =
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const get = (line: string) =>
    host.raw(`GET /healthz HTTP/1.1\r\n${line}${line && '\r\n'}Connection: close\r\n\r\n`);
  const upgrade = (line: string) =>
    host.raw(
      `GET /ws/rpc HTTP/1.1\r\n${line}${line && '\r\n'}Connection: Upgrade\r\n${UPGRADE}Origin: http://evil.example\r\n\r\n`,
    );

  it('only the listed hosts are served', async () => {
    for (const name of ['127.0.0.1:PORT', 'localhost:PORT', '[::1]:PORT', 'box.tail1234.ts.net']) {
      const answer = await get(`Host: ${name.replace('PORT', String(host.port))}`);
      expect(answer, name).toMatch(/^HTTP\/1\.1 200 /);
    }
    expect(await host.raw('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /);
  });

  it.each(BAD_HOSTS)('"%s" is not', async (form) => {
    const line = form.replaceAll('PORT', String(host.port));
    // 400 where the parser of HTTP itself refuses the line; never anything that was routed.
    expect(await get(line)).toMatch(/^HTTP\/1\.1 (421|400) /);
    expect(await upgrade(line)).toMatch(/^HTTP\/1\.1 (421|400) /);
  });

  it('no other form of target is served', async () => {
    const own = `Host: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`;
    for (const target of [
      `http://127.0.0.1:${host.port}/healthz`,
      'http://evil.example/healthz',
      '//127.0.0.1/healthz',
      '//evil.example/healthz',
      '*',
      'healthz',
      '/healthz\\x',
      '/healthz#x',
    ]) {
      expect(await host.raw(`GET ${target} HTTP/1.1\r\n${own}`), target).toMatch(/^HTTP\/1\.1 (421|400) /);
    }
    expect(await host.raw(`CONNECT evil.example:443 HTTP/1.1\r\n${own}`)).toMatch(/^HTTP\/1\.1 421 /);
    expect(await host.raw(`GET /healthz HTTP/1.1\r\n${own}`)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the gate', () => {
  const own = `http://127.0.0.1:${PORT}`;
  it.each([
    [[], 403],
    [['Origin', ''], 403],
    [['Origin', 'null'], 403],
    [['Origin', 'file://'], 403],
    [['Origin', `http://127.0.0.1:${PORT + 1}`], 403],
    [['Origin', `https://127.0.0.1:${PORT}`], 403],
    [['Origin', 'http://127.0.0.1'], 403],
    [['Origin', `${own}/`], 403],
    [['Origin', `${own}.evil.example`], 403],
    [['Origin', `http://LOCALHOST:${PORT}`], 403],
    [['Origin', `http://evil.example:${PORT}`], 403],
    [['Origin', `http://user@127.0.0.1:${PORT}`], 403],
    [['Origin', `${own}, http://evil.example`], 403],
    [['Origin', 'http://box.tail1234.ts.net'], 403],
    [['Origin', 'chrome-extension://abcdefgh'], 403],
    [['Origin', own, 'Origin', own], 403],
    [['Referer', `${own}/`], 403],
    [['Origin', own, 'Sec-Fetch-Site', 'cross-site'], 403],
    [['Origin', own, 'Sec-Fetch-Site', 'same-site'], 403],
    [['Origin', own, 'Sec-Fetch-Site', 'none'], 403],
    [['Origin', own, 'Sec-Fetch-Site', ''], 403],
    [['Origin', own, 'Sec-Fetch-Site', 'same-origin', 'Sec-Fetch-Site', 'same-origin'], 403],
    [['Origin', own, 'Sec-Fetch-Site', 'same-origin'], 200],
    [['Origin', own], 200],
    [['Origin', `http://localhost:${PORT}`], 200],
    [['Origin', `http://[::1]:${PORT}`], 200],
    [['Origin', PROXY], 200],
  ])('judges writing and upgrades with %j: %i', (headers, status) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      expect(ask({ method, headers: [...HOST, ...headers] })).toBe(status);
    }
    expect(ask({ upgrade: true, headers: [...HOST, ...headers] })).toBe(status);
    expect(ask({ headers: [...HOST, ...headers] })).toBe(200); // reading the public shell asks for no origin
    expect(ask({ method: 'OPTIONS', headers: [...HOST, ...headers] })).toBe(403);
  });

  it('refuses the headers of a framework, and lets the client’s own router read its static payload', () => {
    for (const name of [
      'Next-Action',
      'RSC',
      'Next-Router-State-Tree',
      'next-router-prefetch',
      'Next-Url',
      'X-Middleware-Subrequest',
      'x-middleware-rewrite',
      'X-Nextjs-Data',
      'x-invoke-path',
    ]) {
      expect(ask({ headers: [...HOST, name, '1'] }), name).toBe(400);
      const soft = /^(rsc|next-router|next-url)/i.test(name);
      expect(ask({ url: '/session.txt?_rsc=1', headers: [...HOST, name, '1'] }), name).toBe(soft ? 200 : 400);
      expect(ask({ url: '/session.txt', method: 'POST', headers: [...HOST, 'Origin', own, name, '1'] })).toBe(
        400,
      );
    }
    const dev = createGate({ port: PORT, dev: true });
    expect(dev.judge({ method: 'GET', url: '/', upgrade: false, rawHeaders: [...HOST, 'RSC', '1'] }).ok).toBe(
      true,
    );
  });

  it('judges the same whatever proxies and strangers claim (S-03)', () => {
    const value = fc.constantFrom(
      '127.0.0.1',
      '::1',
      'localhost',
      'owner@example.com',
      `127.0.0.1:${PORT}`,
      own,
    );
    const claim = fc.record({
      name: fc.constantFrom(
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'X-Forwarded-Proto',
        'X-Forwarded-Port',
        'Forwarded',
        'X-Real-IP',
        'X-Original-Host',
        'X-Client-IP',
        'CF-Connecting-IP',
        'True-Client-IP',
        'Via',
        'Tailscale-User-Login',
        'Tailscale-User-Name',
        'Tailscale-User-Profile-Pic',
        'Authorization',
        'Cookie',
        'X-HTTP-Method-Override',
      ),
      value,
    });
    const base = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'PUT'),
      url: fc.constantFrom('/', '/ws/rpc', '/auth/enrol', 'http://evil.example/'),
      upgrade: fc.boolean(),
      host: fc.constantFrom(`127.0.0.1:${PORT}`, 'evil.example', `localhost:${PORT}`),
      origin: fc.constantFrom(null, own, 'http://evil.example'),
    });
    let passed = 0;
    fc.assert(
      fc.property(base, fc.array(claim, { maxLength: 6 }), ({ host, origin, ...request }, claims) => {
        const plain = ['Host', host, ...(origin === null ? [] : ['Origin', origin])];
        const noisy = [...claims.flatMap((c) => [c.name, c.value]), ...plain];
        const verdict = gate.judge({ ...request, rawHeaders: plain });
        expect(gate.judge({ ...request, rawHeaders: noisy })).toEqual(verdict);
        if (verdict.ok) passed++;
      }),
      { numRuns: 2_000 },
    );
    expect(passed).toBeGreaterThan(50); // the table holds both outcomes
  });

  it('takes only https origins for a proxy', () => {
    for (const bad of [
      'http://box.example',
      'https://box.example/',
      'box.example',
      'https://u@box.example',
      '*',
      '',
    ]) {
      expect(() => createGate({ port: PORT, proxyOrigins: [bad] }), bad).toThrow(/https origin/);
    }
  });
});
