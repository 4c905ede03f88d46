#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
/*
 * The launcher: plain JavaScript that runs on any Node, so that what is missing is said in words instead of a stack.
 * It builds what is stale and hands over to dist/cli.mjs in the same process.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'dist', 'cli.mjs');

function refuse(what, todo) {
  process.stderr.write(`offdeck: ${what}\n  ${todo}\n`);
  process.exit(4);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 9)) {
  refuse(
    `Node.js ${process.versions.node} is too old; 20.9 or newer is needed.`,
    'Install a newer one from https://nodejs.org/',
  );
}
if (!existsSync(join(root, 'node_modules', 'better-sqlite3', 'package.json'))) {
  refuse('Its packages are not installed.', `Run: cd ${root} && npm ci`);
}
// An npm that blocks install scripts leaves the package without its binary, which would fail much later (and in words
// about dlopen).
if (!existsSync(join(root, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'))) {
  refuse('The native part of better-sqlite3 is missing.', `Run: cd ${root} && npm rebuild better-sqlite3`);
}

/** True while a host runs from this state folder: its files must not be replaced under it. */
const hostRuns = () =>
  spawnSync(process.execPath, [cli, 'status', '--json'], { stdio: 'ignore', timeout: 10_000 }).status === 0;

const { buildStale, staleParts } = await import('../scripts/build.mjs');
const missing = !existsSync(cli);
const starts = process.argv[2] === 'start';
if (missing || starts) {
  // The other commands need only their own bundle, however old.
  const stale = starts ? staleParts() : ['host'];
  // A build that is only stale does not matter when `start` is about to say that a host runs already.
  if (stale.length > 0 && (missing || !hostRuns())) {
    try {
      await buildStale(stale);
    } catch (error) {
      process.stderr.write(`offdeck: the build failed.\n${error.message}\n`);
      process.exit(1);
    }
  }
}
await import(cli);
