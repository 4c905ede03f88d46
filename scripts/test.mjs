/*
 * `npm test`: everything. Format, lint, types, unit and module tests on real tmux and git, the build, and journeys in a
 * real browser with the real CLIs (pinned in e2e/vendors) against models that the project brings itself. The last line
 * is always "N passed, N failed"; the exit code is not 0 unless everything passed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, findProgram } from './find-program.mjs';
import { exec, root, staticSteps, step, tool } from './steps.mjs';

const results = join(root, '.cache', 'test');

function missingPrograms() {
  const wanted = { tmux: findProgram('tmux'), git: findProgram('git'), chromium: findChromium() };
  return Object.keys(wanted).filter((name) => wanted[name] === null);
}

function installCommand(names) {
  if (findProgram('brew')) {
    const formulas = names.filter((name) => name !== 'chromium');
    const parts = [];
    if (formulas.length > 0) parts.push(`brew install ${formulas.join(' ')}`);
    if (names.includes('chromium')) parts.push('brew install --cask google-chrome');
    return parts.join(' && ');
  }
  if (findProgram('apt-get')) return `sudo apt-get install -y ${names.join(' ')}`;
  if (findProgram('dnf')) return `sudo dnf install -y ${names.join(' ')}`;
  return `install ${names.join(', ')} with this system's package manager`;
}

/** The vendors' CLIs are large, so they are installed only when their lock file changed. */
async function installVendors() {
  const lock = readFileSync(join(root, 'e2e', 'vendors', 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  const stamp = join(root, 'e2e', 'vendors', 'node_modules', '.offdeck-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return 0;
  const code = await exec('npm', ['ci', '--prefix', join(root, 'e2e', 'vendors'), '--no-audit', '--no-fund']);
  if (code === 0) writeFileSync(stamp, hash);
  return code;
}

function readJson(name) {
  try {
    return JSON.parse(readFileSync(join(results, name), 'utf8'));
  } catch {
    return null;
  }
}

/** Files that break before their first test hold no failed test; each counts as one. */
function countVitest() {
  const report = readJson('vitest.json');
  if (!report) return { passed: 0, failed: 0 };
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken };
}

function countPlaywright() {
  const report = readJson('playwright.json');
  if (!report) return { passed: 0, failed: 0 };
  return {
    passed: report.stats.expected,
    failed: report.stats.unexpected + report.stats.flaky + report.errors.length,
  };
}

const total = { passed: 0, failed: 0 };
/** A step that failed without naming a failed test still counts as one failure. */
function add(ok, count = { passed: 0, failed: 0 }) {
  total.passed += count.passed;
  total.failed += ok ? count.failed : Math.max(1, count.failed);
}

async function main() {
  const missing = missingPrograms();
  if (missing.length > 0) {
    process.stdout.write(
      `The tests need ${missing.join(', ')}. Install with:\n  ${installCommand(missing)}\n`,
    );
    process.exit(1);
  }
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });

  add(await step('real CLIs for the tests', installVendors));
  for (const [name, work] of staticSteps) add(await step(name, work));

  const vitest = ['run', '--reporter=default', '--reporter=json'];
  const unit = await step('unit and module tests', () =>
    exec(tool('vitest'), [...vitest, `--outputFile.json=${join(results, 'vitest.json')}`]),
  );
  add(unit, countVitest());

  const built = await step('build', () => exec(process.execPath, [join(root, 'scripts', 'build.mjs')]));
  add(built);
  if (built) {
    const journeys = await step('journeys in a browser', () =>
      exec(tool('playwright'), ['test', '-c', 'e2e/playwright.config.ts', '--reporter=list,json'], {
        PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'playwright.json'),
      }),
    );
    add(journeys, countPlaywright());
  }

  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

await main();
