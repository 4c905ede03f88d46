/*
 * Development: one host with a state folder of its own. The client is served from its sources with hot reload; a change
 * of the host's sources rebuilds and restarts the host. Its agents run on meanwhile, as they would for a user.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildStale, staleParts } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const env = {
  OFFDECK_HOME: join(root, '.cache', 'dev'),
  OFFDECK_PORT: '7434',
  OFFDECK_SCRIPTED: '1',
  ...process.env,
  OFFDECK_DEV: '1',
  NEXT_TELEMETRY_DISABLED: '1',
};
const SETTLE_MS = 200; // an editor writes a file in several steps

let child = null;
let first = true;
let ending = false;

const run = () => {
  const args = [join(root, 'dist', 'cli.mjs'), 'start', ...(first ? process.argv.slice(2) : ['--no-open'])];
  first = false;
  const started = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  child = started;
  started.on('exit', (code) => {
    if (child !== started) return;
    child = null;
    if (ending) process.exit(code ?? 0);
    process.stderr.write('The host ended; it starts again with the next change.\n');
  });
};

const stop = () =>
  new Promise((done) => {
    const old = child;
    child = null;
    if (!old) return done();
    old.once('exit', done);
    old.kill('SIGTERM');
  });

let working = Promise.resolve();
const rebuild = () => {
  working = working.then(async () => {
    if (!staleParts().includes('host')) return;
    try {
      await buildStale(['host']);
    } catch (error) {
      process.stderr.write(`${error.message}\n`);
      return; // the host that runs is kept until the sources build again
    }
    await stop();
    run();
  });
};

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    ending = true;
    if (child) child.kill('SIGTERM');
    else process.exit(0);
  });
}

if (staleParts().includes('host')) await buildStale(['host']);
run();
let timer = null;
for (const folder of ['server', 'db']) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(rebuild, SETTLE_MS);
  });
}
