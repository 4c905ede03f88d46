/*
 * `npm test`: everything. Format, lint, types, unit and module tests on real tmux and git, the build, and journeys in a
 * real browser with the real CLIs (pinned in e2e/vendors) against models that the project brings itself. The last line
 * is always "N passed, N failed"; the exit code is not 0 unless everything passed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
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

/** What failed, by name, with the first line of why. Files that break before their first test count as one each. */
function countVitest() {
  const report = readJson('vitest.json');
  if (!report) return { passed: 0, failed: [] };
  const failed = report.testResults.flatMap((file) => {
    const path = relative(root, file.name);
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) {
      return tests.map((test) => `${path} › ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
    }
    return file.status === 'failed' ? [`${path}: ${firstLine(file.message)}`] : [];
  });
  return { passed: report.numPassedTests, failed };
}

function countPlaywright() {
  const report = readJson('playwright.json');
  if (!report) return { passed: 0, failed: [] };
  const specs = (suite) => [...(suite.suites ?? []).flatMap(specs), ...(suite.specs ?? [])];
  const failed = specs(report)
    .flatMap((spec) => spec.tests.map((test) => ({ spec, test })))
    .filter(({ test }) => test.status === 'unexpected' || test.status === 'flaky')
    .map(({ spec, test }) => {
      const why = test.results.flatMap((result) => result.errors)[0]?.message;
      return `e2e/${spec.file}:${spec.line} › ${spec.title}: ${firstLine(why)}`;
    });
  return {
    passed: report.stats.expected,
    failed: [...failed, ...report.errors.map((error) => firstLine(error.message))],
  };
}

/** The first line that says something, without the colours of a terminal. */
function firstLine(text) {
  const lines = stripVTControlCharacters(String(text ?? '')).split('\n');
  return (lines.find((line) => line.trim() !== '') ?? 'no reason given').trim().slice(0, 300);
}

const total = { passed: 0, failed: [] };
/** A step that failed without naming a failed test still counts as one failure. */
function add(name, ok, count = { passed: 0, failed: [] }) {
  total.passed += count.passed;
  total.failed.push(...count.failed);
  if (!ok && count.failed.length === 0) total.failed.push(name);
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

  add('real CLIs for the tests', await step('real CLIs for the tests', installVendors));
  for (const [name, work] of staticSteps) add(name, await step(name, work));

  const vitest = ['run', '--reporter=default', '--reporter=json'];
  const unit = await step('unit and module tests', () =>
    exec(tool('vitest'), [...vitest, `--outputFile.json=${join(results, 'vitest.json')}`]),
  );
  add('unit and module tests', unit, countVitest());

  const built = await step('build', () => exec(process.execPath, [join(root, 'scripts', 'build.mjs')]));
  add('build', built);
  if (built) {
    const journeys = await step('journeys in a browser', () =>
      exec(tool('playwright'), ['test', '-c', 'e2e/playwright.config.ts', '--reporter=list,json'], {
        PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'playwright.json'),
      }),
    );
    add('journeys in a browser', journeys, countPlaywright());
  }

  // Named again at the end: of a long log often only the end is kept.
  for (const name of total.failed) process.stdout.write(`\n✘ ${name}`);
  process.stdout.write(`\n${total.passed} passed, ${total.failed.length} failed\n`);
  process.exitCode = total.failed.length === 0 ? 0 : 1;
}

await main();
