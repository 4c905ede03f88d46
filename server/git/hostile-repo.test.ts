import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileRepo, hostileRepo } from './hostile-repo';
import { createGit } from './index';
import { createRunner, READ_COMMANDS } from './runner';
import { type GitSandbox, gitSandbox } from './testing';

let box: GitSandbox;
let hostile: HostileRepo;
let log: string;
let wrapper: string;
beforeAll(async () => {
  box = gitSandbox();
  hostile = await hostileRepo(box);
  // Every call of ours goes through this, so none can be forgotten by the test.
  log = join(box.root, 'calls');
  wrapper = join(box.root, 'recording-git');
  writeFileSync(
    wrapper,
    `#!/bin/sh\n{ for a in "$@"; do printf '%s\\001' "$a"; done; printf '\\002'; } >> '${log}'\nexec '${box.program}' "$@"\n`,
    { mode: 0o755 },
  );
  writeFileSync(log, '');
}, 60_000);
afterAll(() => box.remove());

const calls = (): string[][] =>
  readFileSync(log, 'utf8')
    .split('\x02')
    .filter((line) => line !== '')
    .map((line) => line.split('\x01').slice(0, -1));
const commandOf = (argv: string[]): string => {
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '-c') i++;
    else if (!argv[i]?.startsWith('-')) return argv[i] ?? '';
  }
  return '';
};

describe('a repository full of traps', () => {
  it('sets them off for plain git: without this the other tests would prove nothing', async () => {
    const fired = new Set<string>();
    const plain = async (...args: string[]) => {
      await box.plain(hostile.path, args, { mayFail: true });
      for (const name of hostile.fired()) fired.add(name);
    };
    for (const hooksPath of [false, true]) {
      await hostile.hooksBySetting(hooksPath);
      await plain('status');
      await plain('update-index', '--really-refresh');
      await plain('diff');
      await plain('diff', '--no-ext-diff');
      await plain('log', '-2', '-p');
      await plain('show', '--no-ext-diff', 'main');
      await plain('cat-file', 'blob', hostile.missing);
      await plain('innocent');
      await plain('fetch', 'ext');
      await plain('worktree', 'add', '-b', `plain-${hooksPath}`, join(box.root, `plain-${hooksPath}`));
    }
    expect([...fired].sort()).toEqual(
      expect.arrayContaining([
        'alias',
        'core-fsmonitor',
        'diff-command',
        'diff-external',
        'diff-textconv',
        'ext-transport',
        'filter-clean',
        'filter-conditional',
        'filter-equals-sign',
        'filter-included',
        'filter-process',
        'filter-smudge',
        'gpg-program',
        'hook-post-checkout',
        'hook-post-index-change',
        'hook-reference-transaction',
        'hookspath-post-checkout',
        'hookspath-post-index-change',
        'hookspath-reference-transaction',
        'lazy-fetch',
        'submodule-clean',
        'submodule-fsmonitor',
      ]),
    );
  }, 60_000);

  it.each([false, true])(
    'runs none of them for any read of ours (hooks by setting: %s)',
    async (hooksPath) => {
      await hostile.hooksBySetting(hooksPath);
      hostile.fired();
      const deps = { program: wrapper, env: box.env };
      const git = createGit(deps);
      const clean = (what: string) => expect(hostile.fired(), what).toEqual([]);
      const located = await git.locate(hostile.path);
      expect((await git.risks(located)).sentences.length).toBeGreaterThan(30);
      expect(calls(), 'no git before trust').toEqual([]);
      clean('locate and risks');
      const { repo } = await git.inspect(hostile.path);
      clean('inspect');
      await git.fingerprint(repo);
      clean('fingerprint');
      expect((await git.branches(repo)).branches.length).toBeGreaterThan(1);
      clean('branches');
      await git.worktrees(repo);
      await git.headOf(repo, repo.path);
      clean('worktrees');
      await expect(
        git.addWorktree({
          repo,
          path: join(box.root, 'never'),
          branch: 'n',
          base: 'main',
          fingerprint: '{}',
        }),
      ).rejects.toMatchObject({ code: 'untrusted' });
      clean('a refused worktree');

      // The rest of the table, which later screens use.
      const runner = createRunner(deps);
      const reads: string[][] = [
        ['version'],
        ['check-ref-format', 'refs/heads/x'],
        ['config'],
        ['rev-parse', 'HEAD'],
        ['for-each-ref'],
        ['worktree', '--porcelain', '-z'],
        ['cat-file', 'blob', hostile.missing],
        ['cat-file', '--batch-all-objects', '--batch-check'],
        ['cat-file', '--filters', 'HEAD:smudge.dat'],
        ['ls-files', '-z', '--modified', '--others'],
        ['status', '--porcelain=v2', '-z', '--untracked-files=all'],
        ['diff', '-z', '--raw', '-p'],
        ['diff', 'HEAD'],
        ['diff', 'HEAD~1', 'HEAD'],
        ['log', '-p', '-3'],
        ['show', 'main'],
        ['show', hostile.missing],
        ['blame', 'textconv.dat'],
        ['grep', '-e', 'two'],
      ];
      for (const args of reads) {
        await runner.read(repo, args);
        clean(args.join(' '));
      }
      // None was forgotten, and each carried the whole armour.
      const seen = calls();
      expect(new Set(seen.map(commandOf))).toEqual(new Set(READ_COMMANDS));
      for (const argv of seen) {
        expect(argv.slice(0, 3)).toEqual(['--no-pager', '--no-optional-locks', '--literal-pathspecs']);
        expect(argv).toContain('core.fsmonitor=false');
        expect(argv).toContain('core.hooksPath=/dev/null');
      }
      writeFileSync(log, '');
    },
    60_000,
  );

  it('still reads correctly through the armour', async () => {
    const runner = createRunner({ program: box.program, env: box.env });
    const { repo } = await createGit({ program: box.program, env: box.env }).inspect(hostile.path);
    const status = await runner.read(repo, ['status', '--porcelain', '-z']);
    expect(status.code).toBe(0);
    expect(status.stdout.toString().split('\0')).toEqual(
      expect.arrayContaining([' M plain.txt', ' M clean.dat', ' M equals=sign.dat', '?? inner/']),
    );
    const diff = await runner.read(repo, ['diff', '--', 'plain.txt', 'textconv.dat', 'extdriver.dat']);
    expect(diff.stdout.toString()).toMatch(/-one\n\+two[\s\S]*-textconv one\n\+textconv two/);
    expect(diff.stdout.toString()).toContain('+extdriver two');
    hostile.fired();
  });

  it('keeps a filter the user set for all repositories', async () => {
    const marker = join(box.root, 'user-filter');
    await box.plain(box.root, ['config', '--global', 'filter.mine.clean', `touch ${marker}; cat`]);
    const path = await box.repository('global-filter');
    writeFileSync(join(path, '.gitattributes'), '*.x filter=mine\n');
    writeFileSync(join(path, 'a.x'), 'one\n');
    await box.plain(path, ['add', '-A']);
    await box.plain(path, ['commit', '-q', '-m', 'x']);
    rmSync(marker);
    writeFileSync(join(path, 'a.x'), 'two\n');
    const runner = createRunner({ program: box.program, env: box.env });
    await runner.read({ path, gitDir: join(path, '.git') }, ['diff']);
    expect(() => readFileSync(marker)).not.toThrow();
    await box.plain(box.root, ['config', '--global', '--unset', 'filter.mine.clean']);
  });

  it('runs the hooks and filters of a trusted repository when the person makes a worktree', async () => {
    await hostile.hooksBySetting(false);
    const git = createGit({ program: box.program, env: box.env });
    const { repo } = await git.inspect(hostile.path);
    const fingerprint = await git.fingerprint(repo);
    hostile.fired();
    const path = join(box.root, 'trusted-tree');
    await git.addWorktree({ repo, path, branch: 'trusted', base: 'main', fingerprint });
    expect(hostile.fired()).toEqual(expect.arrayContaining(['filter-smudge', 'hook-post-checkout']));
  });

  it('refuses a command that is not in the table, and ends a git that hangs', async () => {
    const runner = createRunner({ program: box.program, env: box.env });
    await expect(runner.read(null, ['checkout', 'x'])).rejects.toThrow(/not in the table/);
    const hang = join(box.root, 'hanging-git');
    writeFileSync(hang, '#!/bin/sh\nsleep 600 & wait\n', { mode: 0o755 });
    const slow = createRunner({ program: hang, env: box.env });
    await expect(slow.read(null, ['version'], { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
