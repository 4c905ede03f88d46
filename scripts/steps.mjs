/* What `check` and `test` share: running one tool after another and saying how it went. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A program of one of our packages. */
export const tool = (name) => join(root, 'node_modules', '.bin', name);

/** Runs a program in the repository without standard input; resolves with its exit code (1 if it cannot start). */
export function exec(file, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    });
    child.on('error', (error) => {
      process.stderr.write(`${file}: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code, signal) => resolve(signal ? 1 : code));
  });
}

/** Runs one named step and prints its result; resolves true when it passed. */
export async function step(name, work) {
  const began = performance.now();
  process.stdout.write(`\n── ${name}\n`);
  const code = await work();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`── ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)\n`);
  return code === 0;
}

/** Format and lint, then the four compiler projects. */
export const staticSteps = [
  [
    'format and lint',
    () => exec(tool('biome'), ['ci', '.', ...(process.stdout.isTTY ? [] : ['--colors=off'])]),
  ],
  ['types', types],
];

const PROJECTS = ['tsconfig.contract.json', 'tsconfig.server.json', 'tsconfig.json', 'tsconfig.tests.json'];

async function types() {
  // On a fresh clone the declarations that let a component import a style sheet do not exist yet.
  if (!existsSync(join(root, 'next-env.d.ts'))) {
    const code = await exec(tool('next'), ['typegen']);
    if (code !== 0) return code;
  }
  let worst = 0;
  for (const project of PROJECTS) {
    const code = await exec(tool('tsc'), ['-p', project]);
    if (code !== 0) process.stdout.write(`   in ${project}\n`);
    worst = Math.max(worst, code);
  }
  return worst;
}
