/*
 * `npm run check`: what should pass before every commit, in under a minute. Format, lint, types, the architecture and
 * the tests that need no tmux, no browser and no vendor's CLI.
 */
import { exec, staticSteps, step, tool } from './steps.mjs';

const FAST = [
  'server/architecture',
  'server/contract',
  'server/platform',
  'server/log',
  'server/sessions',
  'server/needs',
  'server/projects',
  'server/board',
  'server/api',
  'server/preflight',
  'db',
  'app',
];

let ok = true;
for (const [name, work] of staticSteps) ok = (await step(name, work)) && ok;
ok = (await step('architecture and unit tests', () => exec(tool('vitest'), ['run', ...FAST]))) && ok;
process.exit(ok ? 0 : 1);
