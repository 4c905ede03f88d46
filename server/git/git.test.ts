import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGit, fingerprintChanges, type Git } from './index';
import { type GitSandbox, gitSandbox } from './testing';
import { parseWorktrees } from './worktree-list';

let box: GitSandbox;
let git: Git;
beforeAll(() => {
  box = gitSandbox();
  git = createGit({ program: box.program, env: box.env });
});
afterAll(() => box.remove());

/** A small fake git, for versions and behaviour the real one does not have. */
const fakeGit = (name: string, body: string): string => {
  const path = join(box.root, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
};
const add = async (repo: string, branch: string, base = 'main', path = join(box.root, 'trees', branch)) => {
  const { repo: handle } = await git.inspect(repo);
  return git.addWorktree({ repo: handle, path, branch, base, fingerprint: await git.fingerprint(handle) });
};

describe('inspecting a repository', () => {
  const names = [
    'plain',
    'with space',
    'quo"te\'s',
    'line\nbreak',
    'émoji 🚀',
    '-dash',
    '#(touch x)',
    '$HOME;a',
  ];
  it.each(names)('works when the folder is called %j', async (name) => {
    const path = await box.repository(join('names', name));
    const seen = await git.inspect(path);
    expect(seen.repo.path).toBe(path);
    expect(seen.worktree).toBeNull();
    expect(seen.head).toMatchObject({ branch: 'main', detached: false, unborn: false });
    expect(seen.head.commit).toBe(await box.plain(path, ['rev-parse', 'HEAD']));
    const made = await add(path, 'topic', 'main', join(box.root, 'names-trees', name));
    const trees = await git.worktrees(seen.repo);
    expect(trees.map((tree) => [tree.path, tree.branch, tree.main])).toEqual([
      [path, 'main', true],
      [made.path, 'topic', false],
    ]);
    expect((await git.branches(seen.repo)).branches.map((branch) => branch.name).sort()).toEqual([
      'main',
      'topic',
    ]);
  });

  it('finds the main checkout from a subfolder, a worktree, and a worktree of a worktree', async () => {
    const path = await box.repository('nested');
    const first = await add(path, 'one');
    const { repo } = await git.inspect(first.path);
    expect(repo.path).toBe(path);
    const second = await add(first.path, 'two', 'one');
    mkdirSync(join(second.path, 'deep', 'er'), { recursive: true });
    const seen = await git.inspect(join(second.path, 'deep', 'er'));
    expect(seen.repo).toEqual({ path, gitDir: join(path, '.git') });
    expect(seen.worktree).toBe(second.path);
    expect(seen.head.branch).toBe('main');
    symlinkSync(path, join(box.root, 'a link'));
    expect((await git.inspect(join(box.root, 'a link'))).repo.path).toBe(path);
  });

  it('tells an unborn branch and a detached head', async () => {
    const empty = join(box.root, 'empty');
    mkdirSync(empty);
    await box.plain(empty, ['init', '-q', '-b', 'trunk']);
    expect((await git.inspect(empty)).head).toEqual({
      branch: 'trunk',
      commit: null,
      detached: false,
      unborn: true,
    });
    const { repo } = await git.inspect(empty);
    expect(await git.branches(repo)).toEqual({ current: 'trunk', head: null, branches: [] });
    await expect(add(empty, 'x', 'trunk')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/no commit yet/),
    });
    const path = await box.repository('detached');
    await box.plain(path, ['checkout', '-q', '--detach']);
    expect((await git.inspect(path)).head).toMatchObject({ branch: null, detached: true, unborn: false });
    expect((await git.branches((await git.inspect(path)).repo)).current).toBeNull();
  });

  it('names what is wrong: no repository, bare, gone, not a folder, another owner', async () => {
    const none = join(box.root, 'none');
    mkdirSync(none);
    await expect(git.inspect(none)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/not in a git/),
    });
    const bare = join(box.root, 'bare.git');
    await box.plain(box.root, ['init', '-q', '--bare', bare]);
    await expect(git.inspect(bare)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/bare repository/),
    });
    const flagged = await box.repository('flagged');
    await box.plain(flagged, ['config', 'core.bare', 'true']);
    await expect(git.inspect(flagged)).rejects.toMatchObject({
      message: expect.stringMatching(/bare repository/),
    });
    const ofBare = join(box.root, 'of-bare');
    const source = await box.repository('source');
    await box.plain(box.root, ['clone', '-q', '--bare', source, join(box.root, 'full.git')]);
    await box.plain(join(box.root, 'full.git'), ['worktree', 'add', '-q', ofBare]);
    await expect(git.inspect(ofBare)).rejects.toMatchObject({
      message: expect.stringMatching(/bare repository/),
    });
    await expect(git.inspect(join(box.root, 'gone'))).rejects.toMatchObject({ code: 'not-found' });
    writeFileSync(join(box.root, 'file'), '');
    await expect(git.inspect(join(box.root, 'file'))).rejects.toMatchObject({ code: 'bad-input' });
    const path = await box.repository("other's");
    const other = createGit({
      program: box.program,
      env: { ...box.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' },
    });
    await expect(other.inspect(path)).rejects.toMatchObject({
      code: 'not-allowed',
      hint: expect.stringContaining(`safe.directory '${path.replace("'", "'\\''")}'`),
    });
  });

  it('says when a worktree lost its repository, or its repository was moved', async () => {
    const path = await box.repository('mover');
    const tree = await add(path, 'lost');
    renameSync(path, `${path}-elsewhere`);
    await expect(git.inspect(tree.path)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/is not there/),
    });
    const repo = { path, gitDir: join(path, '.git') };
    await expect(git.worktrees(repo)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('says when git is missing or too old', async () => {
    const path = await box.repository('tools');
    await expect(createGit({ program: null, env: box.env }).inspect(path)).rejects.toMatchObject({
      code: 'missing-tool',
    });
    const gone = createGit({ program: join(box.root, 'no-git'), env: box.env });
    await expect(gone.inspect(path)).rejects.toMatchObject({ code: 'missing-tool' });
    const old = createGit({ program: fakeGit('old-git', 'echo git version 2.17.1'), env: box.env });
    await expect(old.inspect(path)).rejects.toMatchObject({
      code: 'missing-tool',
      message: expect.stringMatching(/2\.17 is too old/),
    });
  });

  it('lists worktrees with a git that has no -z there', async () => {
    const path = await box.repository('older');
    await add(path, 'older-topic');
    const script = `for a in "$@"; do [ "$a" = --porcelain ] && p=1; [ "$a" = -z ] && z=1; done
[ "$p$z" = 11 ] && exit 129
exec ${box.program} "$@"`;
    const older = createGit({ program: fakeGit('older-git', script), env: box.env });
    const { repo } = await older.inspect(path);
    expect((await older.worktrees(repo)).map((tree) => tree.branch)).toEqual(['main', 'older-topic']);
    expect(parseWorktrees('', '\0', '/x')).toEqual([]);
  });
});

describe('branches', () => {
  it('lists local ones first, then remote ones, without the symbolic origin/HEAD', async () => {
    const source = await box.repository('upstream');
    await box.plain(source, ['branch', 'feature/one']);
    const clone = join(box.root, 'clone');
    await box.plain(box.root, ['clone', '-q', source, clone]);
    await box.plain(clone, ['branch', 'ünïcode']);
    const list = await git.branches((await git.inspect(clone)).repo);
    expect(list.current).toBe('main');
    expect(list.branches.map(({ name, remote }) => `${remote ? 'r' : 'l'} ${name}`).sort()).toEqual([
      'l main',
      'l ünïcode',
      'r origin/feature/one',
      'r origin/main',
    ]);
    expect(list.branches.findIndex(({ remote }) => remote)).toBe(2);
    expect(list.head?.startsWith(list.branches[0]?.commit ?? 'x')).toBe(true);
  });
});

describe('adding a worktree', () => {
  it('records the commit it began from, for a branch, a tag, a remote branch and an id', async () => {
    const source = await box.repository('bases');
    const first = await box.plain(source, ['rev-parse', 'HEAD']);
    await box.plain(source, ['tag', '-a', 'v1', '-m', 'one']);
    await box.plain(source, ['commit', '-q', '--allow-empty', '-m', 'second']);
    const second = await box.plain(source, ['rev-parse', 'HEAD']);
    const clone = join(box.root, 'bases-clone');
    await box.plain(box.root, ['clone', '-q', source, clone]);
    expect(await add(clone, 'b1', 'main')).toMatchObject({ baseCommit: second, note: null });
    expect(await add(clone, 'b2', 'v1')).toMatchObject({ baseCommit: first });
    expect(await add(clone, 'b3', 'origin/main')).toMatchObject({ baseCommit: second });
    expect(await add(clone, 'b4', first.slice(0, 10))).toMatchObject({ baseCommit: first });
    const made = await add(clone, 'b/5', 'HEAD');
    expect(await git.headOf((await git.inspect(clone)).repo, made.path)).toMatchObject({
      branch: 'b/5',
      commit: second,
    });
    expect(await box.plain(clone, ['config', '--get', 'branch.b3.remote'], { mayFail: true })).toBe('');
  });

  it('refuses names git would not take, and never lets one become an option', async () => {
    const path = await box.repository('badnames');
    const marker = join(box.root, 'marker');
    const bad = [
      '',
      '-f',
      '--orphan',
      'a b',
      'a..b',
      'a~1',
      '@',
      'HEAD',
      '@{-1}',
      'a\0b',
      'x.lock',
      '/a',
      'a:b',
      'a\nb',
    ];
    for (const name of bad) {
      await expect(add(path, name, 'main', join(box.root, 'bad')), name).rejects.toMatchObject({
        code: 'bad-input',
      });
    }
    const bases = [
      '',
      '-f',
      '--all',
      'nope',
      'main~1',
      ':/first',
      'main@{0}',
      `--output=${marker}`,
      'deadbeef',
      'a\0b',
    ];
    for (const base of bases) {
      await expect(add(path, 'fine', base, join(box.root, 'bad')), base).rejects.toMatchObject({
        code: 'not-found',
      });
    }
    expect(await box.plain(path, ['branch', '--format=%(refname)'])).toBe('refs/heads/main');
    // The control: a good name in the same place is made.
    expect((await add(path, 'fine', 'main', join(box.root, 'bad'))).branch).toBe('fine');
  });

  it('names what is in the way and leaves it alone', async () => {
    const path = await box.repository('ways');
    await box.plain(path, ['branch', 'taken']);
    await expect(add(path, 'taken')).rejects.toMatchObject({
      code: 'conflict',
      hint: 'Choose another name.',
    });
    const tree = await add(path, 'used');
    await expect(add(path, 'used')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(tree.path),
      hint: expect.stringMatching(/existing worktree/),
    });
    await expect(add(path, 'taken/below')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/beside/),
    });
    const folder = join(box.root, 'in the way');
    mkdirSync(folder);
    await expect(add(path, 'free', 'main', folder)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/exists/),
    });
    // A worktree that was removed by hand: git refuses its place, and we neither force nor prune.
    rmSync(tree.path, { recursive: true });
    await expect(add(path, 'again', 'main', tree.path)).rejects.toMatchObject({ code: 'conflict' });
    const { repo } = await git.inspect(path);
    expect((await git.worktrees(repo)).find(({ branch }) => branch === 'used')?.missing).toBe(true);
  });

  it('runs the hooks of the user, and a failing one does not hide the worktree', async () => {
    const path = await box.repository('hooked');
    const hook = join(path, '.git', 'hooks', 'post-checkout');
    const marker = join(box.root, 'hook-ran');
    writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\necho 'error: no luck' >&2\nexit 3\n`, { mode: 0o755 });
    const made = await add(path, 'with-hook');
    expect(made.note).toMatch(/no luck/);
    expect(await box.plain(box.root, ['-C', made.path, 'branch', '--show-current'])).toBe('with-hook');
    rmSync(marker);
  });

  it('refuses when what would run changed since it was trusted', async () => {
    const path = await box.repository('changed');
    const { repo } = await git.inspect(path);
    const fingerprint = await git.fingerprint(repo);
    const order = { repo, path: join(box.root, 'trees', 'c'), branch: 'c', base: 'main', fingerprint };
    writeFileSync(join(path, '.git', 'hooks', 'post-checkout'), '#!/bin/sh\n', { mode: 0o755 });
    await expect(git.addWorktree(order)).rejects.toMatchObject({ code: 'untrusted' });
    expect((await git.branches(repo)).branches).toHaveLength(1);
    rmSync(join(path, '.git', 'hooks', 'post-checkout'));
    expect((await git.addWorktree(order)).branch).toBe('c');
  });
});

describe('the files of a worktree', () => {
  it('are those git does not ignore, tracked or not, of that worktree alone', async () => {
    const path = await box.repository('listed');
    writeFileSync(join(path, '.gitignore'), 'ignored\n');
    writeFileSync(join(path, 'gone'), '');
    await box.plain(path, ['add', '-A']);
    await box.plain(path, ['commit', '-qm', 'files']);
    rmSync(join(path, 'gone'));
    writeFileSync(join(path, 'ignored'), '');
    writeFileSync(join(path, 'name with\ta tab ü'), '');
    const { repo } = await git.inspect(path);
    const first = await git.files(repo, path);
    expect(first).toContain('name with\ta tab ü');
    expect(first).toContain('.gitignore');
    expect(first).not.toContain('ignored');
    expect(first).not.toContain('gone');
    const tree = await add(path, 'other-tree');
    writeFileSync(join(tree.path, 'only here'), '');
    expect(await git.files(repo, tree.path)).toContain('only here');
    expect(await git.files(repo, tree.path)).toContain('gone');
    expect(await git.files(repo, path)).not.toContain('only here');
  });

  it('are not listed for a folder whose pointer leads elsewhere', async () => {
    const path = await box.repository('pointed');
    const foreign = await box.repository('foreign');
    const { repo } = await git.inspect(path);
    const tree = await add(path, 'turned');
    writeFileSync(join(tree.path, '.git'), `gitdir: ${join(foreign, '.git')}\n`);
    await expect(git.files(repo, tree.path)).rejects.toMatchObject({ code: 'not-found' });
    await expect(git.files(repo, foreign)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a base that nobody was asked about', () => {
  const script = (file: string, ...lines: string[]) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
  };
  /** A branch of the repository whose checkout holds these files; the main checkout is as before. */
  const branchWith = async (path: string, name: string, change: () => void) => {
    await box.plain(path, ['checkout', '-q', '-b', name]);
    change();
    await box.plain(path, ['add', '-A']);
    await box.plain(path, ['commit', '-qm', name]);
    await box.plain(path, ['checkout', '-q', 'main']);
  };

  it('does not run its own hooks where the settings name a folder in the checkout: the trusted ones run', async () => {
    const path = await box.repository('own-hooks');
    const [trusted, theirs] = [join(box.root, 'trusted-ran'), join(box.root, 'theirs-ran')];
    script(join(path, '.husky', 'post-index-change'), `touch ${trusted}`);
    await box.plain(path, ['add', '-A']);
    await box.plain(path, ['commit', '-qm', 'hooks']);
    await branchWith(path, 'evil', () =>
      script(join(path, '.husky', 'post-index-change'), `touch ${theirs}`),
    );
    await box.plain(path, ['config', 'core.hooksPath', '.husky']);
    await add(path, 'from-evil', 'evil');
    expect([existsSync(trusted), existsSync(theirs)]).toEqual([true, false]);
    // The control: git itself would have run theirs.
    const control = join(box.root, 'trees', 'control');
    execFileSync(box.program, ['worktree', 'add', '-q', '-b', 'control', control, 'evil'], {
      cwd: path,
      env: box.env,
    });
    expect(existsSync(theirs)).toBe(true);
  });

  it('is refused where it brings another program than the trusted one that the settings name', async () => {
    const path = await box.repository('own-filter');
    const marker = join(box.root, 'filter-ran');
    script(join(path, 'tools', 'smudge'), 'cat');
    writeFileSync(join(path, '.gitattributes'), '*.txt filter=mine\n');
    writeFileSync(join(path, 'a.txt'), 'a\n');
    await box.plain(path, ['add', '-A']);
    await box.plain(path, ['commit', '-qm', 'filter']);
    await box.plain(path, ['branch', 'same']);
    await branchWith(path, 'evil', () => script(join(path, 'tools', 'smudge'), `touch ${marker}`, 'cat'));
    for (const command of [
      'tools/smudge',
      './tools/smudge %f',
      'sh "tools/smudge"',
      'env X=tools//smudge sh -c ./tools/smudge',
    ]) {
      await box.plain(path, ['config', 'filter.mine.smudge', command]);
      await expect(add(path, 'of-filter', 'evil'), command).rejects.toMatchObject({
        code: 'untrusted',
        message: expect.stringMatching(/“evil” has another “tools\/smudge”/),
      });
    }
    expect(existsSync(marker)).toBe(false);
    expect((await add(path, 'from-same', 'same')).note).toBeNull();
    // What it held when it was trusted is part of the fingerprint.
    const { repo } = await git.inspect(path);
    const before = await git.fingerprint(repo);
    script(join(path, 'tools', 'smudge'), 'echo other');
    expect(fingerprintChanges(before, await git.fingerprint(repo)).join()).toMatch(
      /tools\/smudge.* changed/i,
    );
  });

  it('changes what was trusted through a file that an included file includes', async () => {
    const path = await box.repository('nested-include');
    mkdirSync(join(path, 'deep'));
    writeFileSync(join(path, 'one'), '[include]\n\tpath = deep/two\n');
    writeFileSync(
      join(path, 'deep', 'two'),
      '[include]\n\tpath = three\n[includeIf "gitdir:/never"]\n\tpath = ../one\n',
    );
    writeFileSync(join(path, 'deep', 'three'), '[user]\n\tname = x\n');
    await box.plain(path, ['config', 'include.path', '../one']);
    const { repo } = await git.inspect(path);
    const before = await git.fingerprint(repo);
    writeFileSync(join(path, 'deep', 'three'), '[core]\n\teditor = evil\n');
    expect(fingerprintChanges(before, await git.fingerprint(repo)).join()).toMatch(/core\.editor is new/);
  });
});

describe('the fingerprint', () => {
  it('stays the same for what runs nothing and says what changed for what does', async () => {
    const path = await box.repository('prints');
    const { repo } = await git.inspect(path);
    const look = () => git.fingerprint(repo);
    const start = await look();
    await box.plain(path, ['branch', 'x']);
    await box.plain(path, ['config', 'user.name', 'Someone']);
    await box.plain(path, ['config', 'core.fsmonitor', 'true']);
    await box.plain(path, ['config', 'alias.st', 'status']);
    await box.plain(path, ['remote', 'add', 'o', 'https://example.org/x.git']);
    await add(path, 'fp');
    writeFileSync(join(path, '.git', 'hooks', 'pre-push'), '#!/bin/sh\n', { mode: 0o644 });
    expect(fingerprintChanges(start, await look())).toEqual([]);

    const changes: [string, () => Promise<unknown> | unknown, RegExp][] = [
      [
        'setting',
        () => box.plain(path, ['config', 'core.fsmonitor', './evil']),
        /Setting core\.fsmonitor is new/,
      ],
      ['value', () => box.plain(path, ['config', 'core.fsmonitor', './worse']), /core\.fsmonitor changed/],
      [
        'second value',
        () => box.plain(path, ['config', '--add', 'core.fsmonitor', './x']),
        /core\.fsmonitor changed/,
      ],
      ['filter', () => box.plain(path, ['config', 'filter.a=b.clean', 'x']), /filter\.a=b\.clean is new/],
      ['alias', () => box.plain(path, ['config', 'alias.st', '!sh']), /alias\.st is new/],
      ['hook', () => chmodSync(join(path, '.git', 'hooks', 'pre-push'), 0o755), /Hook pre-push is new/],
      [
        'content',
        () => writeFileSync(join(path, '.git', 'hooks', 'pre-push'), '#!/bin/sh\nx\n'),
        /pre-push changed/,
      ],
      ['nested', () => box.repository(join('prints', 'vendor', 'lib')), /^$/],
      [
        'nested hook',
        () => writeFileSync(join(path, 'vendor/lib/.git/hooks/pre-commit'), '', { mode: 0o755 }),
        /vendor\/lib: hook pre-commit is new/i,
      ],
      [
        'worktree setting',
        () => writeFileSync(join(path, '.git/worktrees/fp/config.worktree'), '[core]\n\tsshCommand = evil'),
        /worktree fp: setting core\.sshcommand is new/i,
      ],
      [
        'include',
        async () => {
          writeFileSync(join(path, 'inc'), '[user]\n\tname = x\n');
          await box.plain(path, ['config', 'includeIf.onbranch:never.path', '../inc']);
        },
        /includeif\.onbranch:never\.path is new/,
      ],
      [
        'included',
        () => writeFileSync(join(path, 'inc'), '[core]\n\teditor = evil\n'),
        /core\.editor is new/,
      ],
      ['removed', () => rmSync(join(path, '.git', 'hooks', 'pre-push')), /Hook pre-push was removed/],
      [
        'custom hooks',
        async () => {
          mkdirSync(join(path, 'myhooks'));
          writeFileSync(join(path, 'myhooks', 'post-checkout'), '', { mode: 0o755 });
          await box.plain(path, ['config', 'core.hooksPath', 'myhooks']);
        },
        /myhooks: hook post-checkout is new/i,
      ],
    ];
    let before = await look();
    for (const [name, change, expected] of changes) {
      await change();
      const after = await look();
      expect(fingerprintChanges(before, after).join('\n'), name).toMatch(expected);
      before = after;
    }
  });
});
