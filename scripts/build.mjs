/*
 * Builds what is stale: the static client (`next build` → out/) and the bundles of the host and its programs (esbuild →
 * dist/). `npm run build` builds everything; the launcher builds only parts whose sources changed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const record = join(dist, 'build.json');

/** What each part is made from. A test is part of no build. */
const PARTS = {
  client: {
    label: 'the client',
    from: [
      'app',
      'public',
      'server/contract',
      'server/api',
      'next.config.ts',
      'next.config.mjs',
      'postcss.config.mjs',
      'tsconfig.json',
      'package.json',
      'package-lock.json',
    ],
    makes: ['out/index.html'],
    build: buildClient,
  },
  host: {
    label: 'the host',
    from: ['server', 'db', 'scripts/build.mjs', 'package.json', 'package-lock.json'],
    makes: ['dist/main.mjs', 'dist/cli.mjs', 'dist/hook.mjs'],
    build: buildHost,
  },
};

const BUNDLES = {
  main: 'server/main.ts',
  cli: 'server/cli/main.ts',
  hook: 'server/cli/hook.ts',
  'terminal-worker': 'server/terminal/worker.ts',
  'scripted-agent': 'server/agents/scripted/agent.ts',
};

const isTest = (name) => /\.test\.tsx?$/.test(name);

function hashOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    let entries = null;
    try {
      entries = readdirSync(full, { withFileTypes: true });
    } catch {
      hash.update(`${path}\0`).update(readFileSync(full)).update('\0');
      return;
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!isTest(entry.name)) add(`${path}/${entry.name}`);
    }
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

function readRecord() {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return { parts: {} };
  }
}

/** The names of the parts that do not fit their sources, judged by content: a fresh checkout may have any date. */
export function staleParts() {
  const built = readRecord().parts ?? {};
  return Object.entries(PARTS)
    .filter(
      ([name, part]) =>
        built[name] !== hashOf(part.from) || part.makes.some((path) => !existsSync(join(root, path))),
    )
    .map(([name]) => name);
}

/** Builds the given parts (default: the stale ones). Throws an Error whose message holds the tool's own output. */
export async function buildStale(names = staleParts()) {
  for (const name of names) {
    const part = PARTS[name];
    const began = performance.now();
    // Taken first: an edit during the build makes the result stale again instead of passing for built.
    const hash = hashOf(part.from);
    process.stderr.write(`Building ${part.label} … `);
    try {
      await part.build();
    } catch (error) {
      process.stderr.write('failed\n');
      throw error;
    }
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    const parts = { ...readRecord().parts, [name]: hash };
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const text = JSON.stringify({
      version,
      hash: createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16),
      at: new Date().toISOString(),
      parts,
    });
    mkdirSync(dist, { recursive: true });
    writeFileSync(`${record}.tmp`, `${text}\n`);
    renameSync(`${record}.tmp`, record);
  }
}

function buildClient() {
  const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [next, 'build'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(said.trim()));
      else if (!existsSync(join(root, 'out', 'index.html')))
        reject(new Error(`${said.trim()}\nnext build made no out/index.html.`));
      else resolve();
    });
  });
}

async function buildHost() {
  const { build, stop } = await import('esbuild');
  const fresh = join(dist, '.new');
  rmSync(fresh, { recursive: true, force: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: BUNDLES,
      outdir: fresh,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      sourcemap: 'linked',
      legalComments: 'none',
      logLevel: 'silent',
      external: ['better-sqlite3', 'node-pty', 'next'],
      // CommonJS packages inside an ES module still call require() for Node's own modules.
      banner: {
        js: "import { createRequire as offdeckRequire } from 'node:module'; const require = offdeckRequire(import.meta.url);",
      },
    });
    cpSync(join(root, 'db', 'migrations'), join(fresh, 'migrations'), { recursive: true });
    mkdirSync(dist, { recursive: true });
    // Agents that still run start dist/hook.mjs at any moment, so each file is replaced in one step and none is absent.
    for (const name of readdirSync(fresh).filter((entry) => entry !== 'migrations')) {
      renameSync(join(fresh, name), join(dist, name));
    }
    rmSync(join(dist, 'migrations'), { recursive: true, force: true });
    renameSync(join(fresh, 'migrations'), join(dist, 'migrations'));
  } finally {
    await stop(); // it would stay beside the host for as long as that runs, with 20 MB
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await buildStale(Object.keys(PARTS));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
