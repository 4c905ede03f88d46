import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client';
import { type DomainEvent, ProjectId, WorktreeId } from '../contract';
import { createGit } from '../git';
import { type GitSandbox, gitSandbox } from '../git/testing';
import { createLog } from '../log';
import { folderError, MAX_ENTRIES } from './browse';
import { createProjects, projectReader, projectsProjection } from './index';
import { slug } from './projects';

let box: GitSandbox;
beforeAll(() => {
  box = gitSandbox();
});
afterAll(() => box.remove());

let count = 0;
function setUp() {
  const stateHome = join(box.root, `state-${++count}`);
  mkdirSync(stateHome);
  const db = openDatabase({ file: ':memory:', migrations: 'db/migrations', backups: null, now: () => 1 });
  const log = createLog({ db, now: () => 1, projections: [projectsProjection] });
  const reader = projectReader(db);
  const calls = join(box.root, `calls-${count}`);
  writeFileSync(calls, '');
  const wrapper = join(box.root, `git-${count}`);
  writeFileSync(wrapper, `#!/bin/sh\necho "$@" >> '${calls}'\nexec '${box.program}' "$@"\n`, { mode: 0o755 });
  const events: DomainEvent[] = [];
  log.subscribe(({ event }) => events.push(event));
  const projects = createProjects({
    reader,
    commit: (facts) => log.commit(facts),
    git: createGit({ program: wrapper, env: box.env }),
    clock: { now: () => 42 },
    stateHome,
    userHome: box.home,
  });
  return {
    projects,
    reader,
    log,
    db,
    stateHome,
    events,
    /** How often git was run so far. */
    runs: () => readFileSync(calls, 'utf8').split('\n').length - 1,
    trusted: async (path: string) => {
      const { project, trust } = await projects.add(path);
      return projects.trust(project.id, trust.digest);
    },
  };
}
const hook = (repo: string, name: string, body = '') => {
  writeFileSync(join(repo, '.git', 'hooks', name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
};

describe('browsing', () => {
  it('lists folders, hidden ones last, marks repositories, and runs no git', async () => {
    const t = setUp();
    const root = join(box.root, 'browse');
    for (const name of ['b10', 'b9', 'A', '.hidden', '.git', 'with space', 'line\nbreak', 'repo', 'tree']) {
      mkdirSync(join(root, name), { recursive: true });
    }
    mkdirSync(join(root, 'repo', '.git'));
    writeFileSync(join(root, 'tree', '.git'), 'gitdir: /nowhere');
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'A'), join(root, 'link'));
    symlinkSync(join(root, 'nothing'), join(root, 'broken'));
    const page = await t.projects.browse(root);
    expect(page.parent).toBe(box.root);
    expect(page.entries.map(({ name, repository }) => (repository ? `${name}*` : name))).toEqual([
      'A',
      'b9',
      'b10',
      'line\nbreak',
      'link',
      'repo*',
      'tree*',
      'with space',
      '.hidden',
    ]);
    expect(page.truncated).toBe(false);
    expect((await t.projects.browse(null)).path).toBe(box.home);
    expect((await t.projects.browse('~')).path).toBe(box.home);
    expect((await t.projects.browse('/')).parent).toBeNull();
    expect(t.runs()).toBe(0);
  });

  it('stops at a limit and says so', async () => {
    const t = setUp();
    const root = join(box.root, 'many');
    for (let i = 0; i < MAX_ENTRIES; i++) mkdirSync(join(root, `d${i}`), { recursive: true });
    expect(await t.projects.browse(root)).toMatchObject({ truncated: false });
    mkdirSync(join(root, 'one more'));
    const page = await t.projects.browse(root);
    expect(page.truncated).toBe(true);
    expect(page.entries).toHaveLength(MAX_ENTRIES);
  });

  it('never shows or enters the state folder, by any name', async () => {
    const t = setUp();
    symlinkSync(t.stateHome, join(box.root, 'shortcut'));
    const names = (await t.projects.browse(box.root)).entries.map(({ name }) => name);
    expect(names).not.toContain(`state-${count}`);
    expect(names).not.toContain('shortcut');
    expect(names).toContain('home');
    for (const path of [t.stateHome, join(box.root, 'shortcut'), `${box.root}/home/../state-${count}`]) {
      await expect(t.projects.browse(path), path).rejects.toMatchObject({ code: 'not-allowed' });
    }
    rmSync(join(box.root, 'shortcut'));
  });

  it('explains what cannot be listed', async () => {
    const t = setUp();
    await expect(t.projects.browse('relative')).rejects.toMatchObject({ code: 'bad-input' });
    await expect(t.projects.browse('/a\0b')).rejects.toMatchObject({ code: 'bad-input' });
    await expect(t.projects.browse(join(box.root, 'nope'))).rejects.toMatchObject({ code: 'not-found' });
    writeFileSync(join(box.root, 'a-file'), '');
    await expect(t.projects.browse(join(box.root, 'a-file'))).rejects.toMatchObject({ code: 'bad-input' });
    const closed = join(box.root, 'closed');
    mkdirSync(closed, { mode: 0o000 });
    // The superuser may read everything, so only others meet the real refusal.
    const refused =
      process.getuid?.() === 0
        ? Promise.reject(folderError(closed, Object.assign(new Error('no'), { code: 'EACCES' })))
        : t.projects.browse(closed);
    await expect(refused).rejects.toMatchObject({ code: 'not-allowed' });
    chmodSync(closed, 0o700);
  });
});

describe('adding', () => {
  it('takes a repository without running git, and lists what it would run', async () => {
    const t = setUp();
    const path = await box.repository('add me');
    const marker = join(box.root, 'add-marker');
    hook(path, 'post-checkout', `touch ${marker}`);
    hook(path, 'pre-commit.sample');
    writeFileSync(
      join(path, '.git', 'config'),
      `[core]\n\tfsmonitor = touch ${marker}\n[user]\n\tname = x\n[filter "a \\"b"]\n\tclean = "x; y" # note\n`,
    );
    const { project, trust } = await t.projects.add(path);
    expect(project).toMatchObject({ name: 'add me', path, branch: null, trusted: false, created: 42 });
    expect(trust.asked).toBe(true);
    expect(trust.risks).toEqual([
      `The setting core.fsmonitor makes git use “touch ${marker}”.`,
      'The setting filter.a "b.clean makes git use “x; y”.',
      'The hook “post-checkout” is a program that git runs.',
    ]);
    expect(t.runs()).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect(t.events).toEqual([{ type: 'project.added', project }]);
  });

  it('finds the one main checkout from a subfolder, a link, a worktree or “~”, and adds it once', async () => {
    const t = setUp();
    const path = await box.repository('home/once');
    mkdirSync(join(path, 'src', 'deep'), { recursive: true });
    symlinkSync(path, join(box.root, 'once-link'));
    await box.plain(path, ['worktree', 'add', '-q', join(box.root, 'once-tree')]);
    const ids = new Set<string>();
    const ways = [
      path,
      join(path, 'src', 'deep'),
      join(box.root, 'once-link'),
      join(box.root, 'once-tree'),
      '~/once',
    ];
    for (const way of ways) ids.add((await t.projects.add(way)).project.id);
    expect(ids.size).toBe(1);
    expect(t.events).toHaveLength(1);
    expect(t.runs()).toBe(0);
  });

  it('refuses what is no repository, bare, gone, or ours', async () => {
    const t = setUp();
    mkdirSync(join(box.root, 'no-repo'));
    await expect(t.projects.add(join(box.root, 'no-repo'))).rejects.toMatchObject({
      code: 'bad-input',
      hint: expect.stringMatching(/git init/),
    });
    await box.plain(box.root, ['init', '-q', '--bare', join(box.root, 'b.git')]);
    await expect(t.projects.add(join(box.root, 'b.git', 'refs'))).rejects.toMatchObject({
      message: expect.stringMatching(/bare/),
    });
    await expect(t.projects.add(join(box.root, 'gone'))).rejects.toMatchObject({ code: 'not-found' });
    await expect(t.projects.add('x')).rejects.toMatchObject({ code: 'bad-input' });
    mkdirSync(join(t.stateHome, 'inside'));
    await box.plain(join(t.stateHome, 'inside'), ['init', '-q']);
    await expect(t.projects.add(join(t.stateHome, 'inside'))).rejects.toMatchObject({ code: 'not-allowed' });
    expect(t.events).toEqual([]);
  });
});

describe('trust', () => {
  it('is needed for everything that runs git', async () => {
    const t = setUp();
    const { project } = await t.projects.add(await box.repository('untrusted'));
    await expect(t.projects.branches(project.id)).rejects.toMatchObject({ code: 'untrusted' });
    for (const choice of [
      { type: 'main' },
      { type: 'existing', worktreeId: WorktreeId.parse('a'.repeat(20)) },
      { type: 'new', branch: 'x', base: 'main' },
    ] as const) {
      await expect(t.projects.prepare(project.id, choice)).rejects.toMatchObject({ code: 'untrusted' });
    }
    expect(await t.projects.worktrees(project.id)).toEqual([]);
    expect(t.projects.trustedRoot(project.id)).toBeNull();
    expect(t.runs()).toBe(0);
    await expect(t.projects.branches(ProjectId.parse('b'.repeat(20)))).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it.each(['plain trust', 'sp ace "q" \'s\'', 'line\nbreak 🚀'])(
    'records branch and worktrees of %j',
    async (name) => {
      const t = setUp();
      const path = await box.repository(join('trust', name));
      const adopted = join(box.root, 'trust-trees', name);
      await box.plain(path, ['worktree', 'add', '-q', '-b', 'mine', adopted]);
      const project = await t.trusted(path);
      expect(project).toMatchObject({ trusted: true, branch: 'main', path });
      expect(t.projects.trustedRoot(project.id)).toBe(path);
      expect(
        (await t.projects.worktrees(project.id)).map(({ path, kind, branch }) => [path, kind, branch]),
      ).toEqual([
        [path, 'main', 'main'],
        [adopted, 'adopted', 'mine'],
      ]);
      expect((await t.projects.branches(project.id)).current).toBe('main');
      const before = t.events.length;
      await t.projects.worktrees(project.id);
      expect(t.events).toHaveLength(before);
    },
  );

  it('does not cover what changed between the question and the yes', async () => {
    const t = setUp();
    const path = await box.repository('swapped');
    hook(path, 'pre-push', 'echo harmless');
    const { project, trust } = await t.projects.add(path);
    hook(path, 'pre-push', 'echo evil');
    await expect(t.projects.trust(project.id, trust.digest)).rejects.toMatchObject({ code: 'conflict' });
    // That another device was shown the new list meanwhile does not widen this one's yes.
    const again = await t.projects.add(path);
    await expect(t.projects.trust(project.id, trust.digest)).rejects.toMatchObject({ code: 'conflict' });
    await expect(t.projects.trust(project.id, '')).rejects.toMatchObject({ code: 'conflict' });
    expect(t.runs()).toBe(0);
    // Shown again, a yes is about what is there now.
    expect((await t.projects.trust(project.id, again.trust.digest)).trusted).toBe(true);
  });

  it('is asked for again before a write when what would run changed', async () => {
    const t = setUp();
    const path = await box.repository('later');
    const marker = join(box.root, 'later-marker');
    const project = await t.trusted(path);
    expect((await t.projects.add(path)).trust.asked).toBe(false);
    hook(path, 'post-checkout', `touch ${marker}`);
    await expect(
      t.projects.prepare(project.id, { type: 'new', branch: 'n', base: 'main' }),
    ).rejects.toMatchObject({
      code: 'untrusted',
      message: expect.stringMatching(/Hook post-checkout is new\./),
    });
    const asked = (await t.projects.add(path)).trust;
    expect(asked).toMatchObject({ asked: true, risks: [expect.stringMatching(/post-checkout/)] });
    // Reading goes on: it runs nothing of the repository's.
    expect((await t.projects.branches(project.id)).branches).toHaveLength(1);
    expect((await t.projects.prepare(project.id, { type: 'main' })).path).toBe(path);
    expect(existsSync(marker)).toBe(false);
    await t.projects.trust(project.id, asked.digest);
    await t.projects.prepare(project.id, { type: 'new', branch: 'n', base: 'main' });
    expect(existsSync(marker)).toBe(true);
  });

  it('refuses a folder whose repository was exchanged for another', async () => {
    const t = setUp();
    const outer = await box.repository('outer');
    const inner = await box.repository('outer/inner');
    const { project, trust } = await t.projects.add(inner);
    rmSync(join(inner, '.git'), { recursive: true });
    await expect(t.projects.trust(project.id, trust.digest)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(outer),
    });
  });
});

describe('preparing a workplace', () => {
  it('names a folder so that the disk keeps the very name', () => {
    const letter = '\u{1d56c}'; // two units of UTF-16
    expect(slug(`a${letter.repeat(80)}`)).toBe(`a${letter.repeat(59)}`);
    expect(slug('../..')).toBe('worktree');
    expect(slug('Fix: the thing / now')).toBe('Fix-the-thing-now');
  });

  it('makes a worktree in the state folder and records branch, base and commit', async () => {
    const t = setUp();
    const path = await box.repository('my "project"');
    const project = await t.trusted(path);
    const commit = await box.plain(path, ['rev-parse', 'HEAD']);
    const made = await t.projects.prepare(project.id, { type: 'new', branch: 'fix/the-thing', base: 'main' });
    expect(made).toMatchObject({
      projectId: project.id,
      branch: 'fix/the-thing',
      base: 'main',
      baseCommit: commit,
      kind: 'ours',
      path: join(t.stateHome, 'worktrees', `my-project-${project.id.slice(0, 6)}`, 'fix-the-thing'),
    });
    expect(t.events.at(-1)).toEqual({ type: 'worktree.added', worktree: made });
    expect(await t.projects.prepare(project.id, { type: 'existing', worktreeId: made.id })).toEqual(made);
    expect((await t.projects.prepare(project.id, { type: 'main' })).path).toBe(path);
    // A folder of one of our worktrees leads to its project.
    expect((await t.projects.add(made.path)).project.id).toBe(project.id);
    // From a worktree's branch, and a name with the same slug.
    await box.plain(made.path, ['commit', '-q', '--allow-empty', '-m', 'more']);
    const next = await t.projects.prepare(project.id, {
      type: 'new',
      branch: 'fix-the-thing',
      base: 'fix/the-thing',
    });
    expect(next.path).toBe(`${made.path}-2`);
    expect(next.baseCommit).toBe(await box.plain(made.path, ['rev-parse', 'HEAD']));
  });

  it('gives two requests at once different folders, and the same branch to one of them only', async () => {
    const t = setUp();
    const project = await t.trusted(await box.repository('busy'));
    const make = (branch: string) => t.projects.prepare(project.id, { type: 'new', branch, base: 'main' });
    const both = await Promise.all([make('a/b'), make('a-b')]);
    expect(new Set(both.map((tree) => tree.path)).size).toBe(2);
    const same = await Promise.allSettled([make('same'), make('same'), make('same')]);
    expect(same.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(same.filter((r) => r.status === 'rejected' && r.reason.code === 'conflict')).toHaveLength(2);
  });

  it('passes on why not, and records nothing', async () => {
    const t = setUp();
    const path = await box.repository('whynot');
    const project = await t.trusted(path);
    const before = t.events.length;
    const make = (branch: string, base: string) =>
      t.projects.prepare(project.id, { type: 'new', branch, base });
    await expect(make('main', 'main')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/exists already/),
    });
    await expect(make('bad name', 'main')).rejects.toMatchObject({ code: 'bad-input' });
    await expect(make('x', 'nope')).rejects.toMatchObject({ code: 'not-found' });
    expect(t.events).toHaveLength(before);
    expect(existsSync(join(t.stateHome, 'worktrees'))).toBe(false);
  });

  it('notices worktrees that came, went or changed outside', async () => {
    const t = setUp();
    const path = await box.repository('moving');
    const project = await t.trusted(path);
    const made = await t.projects.prepare(project.id, { type: 'new', branch: 'one', base: 'main' });
    await box.plain(made.path, ['checkout', '-q', '-b', 'renamed']);
    await box.plain(path, ['checkout', '-q', '--detach']);
    const list = await t.projects.worktrees(project.id);
    expect(list.map(({ branch }) => branch)).toEqual([null, 'renamed']);
    expect(t.reader.get(project.id)?.branch).toBeNull();
    rmSync(made.path, { recursive: true });
    expect(await t.projects.worktrees(project.id)).toHaveLength(1);
    await expect(
      t.projects.prepare(project.id, { type: 'existing', worktreeId: made.id }),
    ).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining(made.path) });
    // Nothing of the user's was cleaned up for them.
    expect(await box.plain(path, ['worktree', 'list'])).toContain('prunable');
    const again = await t.projects.prepare(project.id, { type: 'new', branch: 'two', base: 'HEAD' });
    expect(again.path).not.toBe(made.path);
    renameSync(path, `${path}-away`);
    await expect(t.projects.prepare(project.id, { type: 'main' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('takes up a worktree of ours that was made just before the host ended', async () => {
    const t = setUp();
    const path = await box.repository('crashed');
    const project = await t.trusted(path);
    const left = join(t.stateHome, 'worktrees', `crashed-${project.id.slice(0, 6)}`, 'left');
    await box.plain(path, ['worktree', 'add', '-q', '-b', 'left', left]);
    expect((await t.projects.worktrees(project.id)).map(({ kind }) => kind)).toEqual(['main', 'ours']);
  });
});

describe('the projection', () => {
  it('is rebuilt from the log to exactly what it was', async () => {
    const t = setUp();
    const path = await box.repository('rebuilt');
    const project = await t.trusted(path);
    await t.projects.prepare(project.id, { type: 'new', branch: 'x', base: 'main' });
    await box.plain(path, ['checkout', '-q', '-b', 'elsewhere']);
    await t.projects.worktrees(project.id);
    const state = () =>
      JSON.stringify([t.reader.all(), t.reader.allWorktrees(), t.reader.fingerprint(project.id)]);
    const live = state();
    expect(live).toContain('elsewhere');
    t.log.rebuild();
    expect(state()).toBe(live);
    projectsProjection.clear(t.db);
    expect(state()).not.toBe(live);
  });
});
