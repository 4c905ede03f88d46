import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK, shellFolder } from './host.fake';
import { loadShell, pageWithNonce, type ShellFile, type ShellPage } from './static-shell';

let folder: string;
beforeEach(() => {
  folder = shellFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the static client', () => {
  it('serves pages by their clean paths and files by their names', async () => {
    const shell = await loadShell(folder);
    expect(shell.paths).toEqual([
      '/',
      '/_next/static/%5Bodd%5D%20name.js',
      '/_next/static/[odd] name.js',
      '/_next/static/a.js',
      '/manifest.webmanifest',
      '/session',
      '/session.txt',
      '/sw.js',
    ]);
    expect(shell.notFound.html).toContain('Nothing here');
  });

  it('keeps hashed files for ever and asks again for everything else', async () => {
    const shell = await loadShell(folder);
    const cache = (path: string) => (shell.find(path) as ShellFile).cache;
    expect(cache('/_next/static/a.js')).toMatch(/immutable/);
    expect(cache('/sw.js')).toBe('no-cache');
    expect(cache('/session.txt')).toBe('no-cache');
  });

  it('holds each file compressed', async () => {
    const file = (await loadShell(folder)).find('/_next/static/a.js') as ShellFile;
    expect(brotliDecompressSync(file.br!).toString()).toBe(CHUNK);
    expect(gunzipSync(file.gzip!).toString()).toBe(CHUNK);
    expect(file.br!.length).toBeLessThan(CHUNK.length / 5);
  });

  it('hashes inline scripts and styles, and the nonce changes neither', async () => {
    const page = (await loadShell(folder)).find('/') as ShellPage;
    const sent = pageWithNonce(page, 'NONCE');
    const [, script] = /<script>(.*?)<\/script>/.exec(sent)!;
    expect(sent).toContain('<html lang="en" data-style-nonce="NONCE">');
    expect(script).toContain('__OFFDECK_NONCE__'); // quoted in a script it stays: the hash covers it
    const hash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    expect(page.scriptHashes).toEqual([hash(script!)]);
    expect(page.styleHashes).toEqual([hash('b{color:red}')]);
  });

  it('follows no link out of its folder and knows no later file', async () => {
    symlinkSync('/etc', join(folder, 'etc'));
    symlinkSync('/etc/passwd', join(folder, 'passwd.txt'));
    const shell = await loadShell(folder);
    mkdirSync(join(folder, 'late'));
    writeFileSync(join(folder, 'late/x.txt'), 'late');
    for (const path of ['/etc/passwd', '/passwd.txt', '/late/x.txt'])
      expect(shell.find(path), path).toBeNull();
  });

  it('says what to do when there is no client', async () => {
    await expect(loadShell(join(folder, 'nowhere'))).rejects.toMatchObject({ hint: 'Run: npm run build' });
    rmSync(join(folder, 'index.html'));
    await expect(loadShell(folder)).rejects.toMatchObject({ code: 'missing-tool' });
  });
});
