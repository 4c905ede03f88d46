import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { AppError } from '../contract';

export interface ShellFile {
  kind: 'file';
  type: string;
  cache: string;
  etag: string;
  body: Buffer;
  gzip: Buffer | null;
  br: Buffer | null;
}
/** A page is finished per answer: it carries a fresh nonce, so it is neither compressed ahead nor revalidated. */
export interface ShellPage {
  kind: 'page';
  html: string;
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
}
export interface Shell {
  /** Looks the path up as it was sent: nothing is decoded or joined, so no path can leave the folder. */
  find(path: string): ShellFile | ShellPage | null;
  readonly notFound: ShellPage;
  readonly paths: readonly string[];
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = /^(text\/|application\/(json|manifest|wasm)|image\/svg)/;
const IMMUTABLE = /^\/_next\/static\//;

/** The attribute in the exported `<html>` whose value becomes this answer's nonce. */
const NONCE_ATTRIBUTE = 'data-style-nonce="__OFFDECK_NONCE__"';

/**
 * Reads the exported client into memory, compressed. What is not in the folder now is never served. Throws AppError
 * when there is no client there.
 */
export async function loadShell(folder: string): Promise<Shell> {
  const names = await regularFiles(folder).catch((cause: unknown) => {
    throw missing(folder, cause);
  });
  const found = new Map<string, ShellFile | ShellPage>();
  let notFound: ShellPage | null = null;
  await Promise.all(
    names.map(async (name) => {
      if (name.endsWith('.map')) return; // sources are in the repository; a map only costs memory
      const path = `/${name}`;
      const body = await readFile(join(folder, name));
      if (name === '404.html') {
        notFound = readPage(body);
      } else if (name.endsWith('.html')) {
        found.set(pagePath(path), readPage(body));
      } else {
        const file = await readShellFile(path, body);
        found.set(path, file);
        found.set(encodeURI(path), file); // a chunk's name may hold characters that a browser sends encoded
      }
    }),
  );
  if (!found.has('/')) throw missing(folder);
  return {
    find: (path) => found.get(path) ?? null,
    notFound: notFound ?? readPage(Buffer.from('<!doctype html><title>Not found</title>Not found')),
    paths: [...found.keys()].sort(),
  };
}

/** The page as one answer sends it. Only the attribute is replaced: the same text inside a script is hashed. */
export const pageWithNonce = (page: ShellPage, nonce: string): string =>
  page.html.replace(NONCE_ATTRIBUTE, `data-style-nonce="${nonce}"`);

function missing(folder: string, cause?: unknown): AppError {
  return new AppError({
    code: 'missing-tool',
    message: `The client is not built: ${folder} has no index.html.`,
    hint: 'Run: npm run build',
    cause,
  });
}

async function regularFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // Symbolic links are not followed: one could point anywhere.
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function pagePath(path: string): string {
  const clean = path.slice(0, -'.html'.length);
  if (clean === '/index') return '/';
  return clean.endsWith('/index') ? clean.slice(0, -'/index'.length) : clean;
}

async function readShellFile(path: string, body: Buffer): Promise<ShellFile> {
  const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const squeeze = COMPRESSIBLE.test(type) && body.length >= 512;
  const [br, zipped] = squeeze ? await Promise.all([brotli(body, type), gzipped(body)]) : [null, null];
  return {
    kind: 'file',
    type,
    cache: IMMUTABLE.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    body,
    gzip: zipped,
    br,
  };
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
// Level 6 costs a start about 30 ms per MB and comes within a few percent of the highest.
const brotli = (body: Buffer, type: string): Promise<Buffer> =>
  compressBrotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 6,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      [constants.BROTLI_PARAM_MODE]: type.startsWith('text/')
        ? constants.BROTLI_MODE_TEXT
        : constants.BROTLI_MODE_GENERIC,
    },
  });
const gzipped = (body: Buffer): Promise<Buffer> => compressGzip(body, { level: 9 });

function readPage(body: Buffer): ShellPage {
  const html = body.toString('utf8');
  return {
    kind: 'page',
    html,
    scriptHashes: inlineHashes(html, /<script(\s[^>]*)?>([\s\S]*?)<\/script>/gi),
    styleHashes: inlineHashes(html, /<style(\s[^>]*)?>([\s\S]*?)<\/style>/gi),
  };
}

function inlineHashes(html: string, pattern: RegExp): string[] {
  const hashes = new Set<string>();
  for (const [, attributes = '', text = ''] of html.matchAll(pattern)) {
    if (/\ssrc\s*=/i.test(attributes)) continue;
    hashes.add(`sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`);
  }
  return [...hashes];
}
