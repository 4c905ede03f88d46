import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { readSmall, sha256 } from '../platform';
import { type ConfigEntry, isRepositoryScope } from './config-list';
import { parseConfigText } from './config-text';
import { isExecCapable } from './exec-keys';
import { isGitFolder } from './locate';
import type { Repository } from './runner';

/** One thing in a repository that git would run or be led by. */
export interface SurfaceItem {
  id: string; // stable name, e.g. "hook post-checkout"
  hash: string; // of its content
  sentence: string; // for the person
}

const MAX_HOOK = 8 * 1024 * 1024;
const MAX_HOOKS = 200;
const MAX_INCLUDES = 50;
const MAX_NESTED = 100;
const MAX_FOLDERS = 4_000;
const MAX_DEPTH = 5;

/** Makes a name from a repository safe to show: one line, no control or direction characters, bounded. */
export const shown = (text: string, max = 100): string => {
  const safe = text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return safe.length > max ? `${safe.slice(0, max)}…` : safe;
};

/**
 * Everything in a repository that can make git run a program, found by reading files. `entries` are the settings of
 * the main checkout, from whoever could read them: git itself once it is trusted, our text reader before.
 */
export async function execSurface(
  repo: Repository,
  entries: readonly ConfigEntry[],
  home: string,
): Promise<SurfaceItem[]> {
  const items = settingItems(
    entries.filter(({ scope }) => isRepositoryScope(scope)),
    '',
  );
  items.push(...(await includeItems(repo, entries, home)));
  items.push(...(await programItems(repo, entries)));
  items.push(...(await hookItems(join(repo.gitDir, 'hooks'), '')));
  // "command" is our own switching-off of hooks for the very call that listed these.
  const custom = hooksSetting(entries);
  if (custom && custom.value !== '') {
    const path = expand(custom.value, repo.path, home);
    // An absolute folder from the user's own settings is theirs, the same for every repository.
    const theirs =
      !isRepositoryScope(custom.scope) && (isAbsolute(custom.value) || custom.value.startsWith('~'));
    if (!theirs) items.push(...(await hookItems(path, `${shown(custom.value)}: `)));
  }
  for (const name of await names(join(repo.gitDir, 'worktrees'))) {
    const path = join(repo.gitDir, 'worktrees', name, 'config.worktree');
    items.push(...(await fileItems(path, `worktree ${shown(name)}: `)));
  }
  for (const { gitDir, label } of await nestedRepositories(repo)) {
    items.push(...(await fileItems(join(gitDir, 'config'), `${shown(label)}: `)));
    items.push(...(await hookItems(join(gitDir, 'hooks'), `${shown(label)}: `)));
  }
  return items;
}

const hooksSetting = (entries: readonly ConfigEntry[]): ConfigEntry | undefined =>
  entries.findLast(({ key, scope }) => key === 'core.hookspath' && scope !== 'command');

/**
 * Where the trusted hooks are when the settings name a folder relative to the checkout; null when they do not. git
 * would look for it in the worktree it works on, whose hooks are those of the commit checked out there.
 */
export function trustedHooks(repo: Repository, entries: readonly ConfigEntry[]): string | null {
  const value = hooksSetting(entries)?.value ?? '';
  return value === '' || isAbsolute(value) || value.startsWith('~') ? null : resolve(repo.path, value);
}

const expand = (value: string, base: string, home: string): string =>
  value.startsWith('~/') ? join(home, value.slice(2)) : resolve(base, value);

function settingItems(entries: readonly ConfigEntry[], prefix: string): SurfaceItem[] {
  const values = new Map<string, string[]>();
  for (const { key, value } of entries) {
    if (isExecCapable(key, value)) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return [...values].map(([key, list]) => ({
    id: `${prefix}setting ${key}`,
    hash: sha256(list.join('\0')),
    sentence: /^include(if\..*)?\.path$/s.test(key)
      ? `${prefix}git reads more settings from “${shown(list.join(', '))}”.`
      : `${prefix}the setting ${shown(key)} makes git use “${shown(list.join(', '))}”.`,
  }));
}

/** Files a configuration includes, and those they include: their content counts, whichever condition brings them in. */
async function includeItems(
  repo: Repository,
  entries: readonly ConfigEntry[],
  home: string,
): Promise<SurfaceItem[]> {
  const items: SurfaceItem[] = [];
  const includes = (list: readonly ConfigEntry[], from: string) =>
    list
      .filter(({ key }) => /^include(if\..*)?\.path$/s.test(key))
      .map(({ value }) => ({ value, path: expand(value, from, home) }));
  const queue = includes(
    entries.filter(({ scope }) => isRepositoryScope(scope)),
    repo.gitDir,
  );
  const seen = new Set<string>();
  for (let next = queue.shift(); next && seen.size < MAX_INCLUDES; next = queue.shift()) {
    const { value, path } = next;
    if (seen.has(path)) continue;
    seen.add(path);
    const bytes = await readSmall(path);
    if (!bytes) continue;
    items.push({
      id: `settings file ${value}`,
      hash: sha256(bytes),
      sentence: `The settings file “${shown(value)}” is part of this repository's configuration.`,
    });
    const parsed = parseConfigText(bytes.toString('utf8')).entries;
    items.push(...settingItems(parsed, `${shown(value)}: `));
    queue.push(...includes(parsed, dirname(path)));
  }
  return items;
}

/**
 * Words of exec-capable settings that may be the path of a file in the checkout: `./tools/smudge`, `sh tools/x %f`.
 * git starts such a program in the worktree it works on, so its content is that of the commit checked out there.
 */
export const programWords = (entries: readonly Pick<ConfigEntry, 'key' | 'value'>[]): string[] => [
  ...new Set(
    entries
      .filter(({ key, value }) => isExecCapable(key, value) && !/^include(if\..*)?\.path$/s.test(key))
      .flatMap(({ value }) => value.split(/[\s'"`;&|()<>=$]+/))
      .map((word) => normalize(word).replace(/\/$/, ''))
      .filter((word) => word !== '' && word !== '.' && !/^(\/|-|~|\.\.)/.test(word)),
  ),
];

/** The programs in the main checkout that its settings name: they are as trusted as what they held then. */
async function programItems(repo: Repository, entries: readonly ConfigEntry[]): Promise<SurfaceItem[]> {
  const items: SurfaceItem[] = [];
  for (const word of programWords(entries)) {
    const bytes = await readSmall(join(repo.path, word), MAX_HOOK);
    if (!bytes) continue;
    items.push({
      id: `program ${word}`,
      hash: sha256(bytes),
      sentence: `the program “${shown(word)}” in the checkout is one that git runs.`,
    });
  }
  return items;
}

/** Exec-capable settings of one configuration file. One we cannot parse counts as a whole. */
export async function fileItems(path: string, prefix: string): Promise<SurfaceItem[]> {
  const bytes = await readSmall(path);
  if (!bytes) return [];
  const { entries, complete } = parseConfigText(bytes.toString('utf8'));
  const items = settingItems(entries, prefix);
  if (!complete) items.push(unreadable(prefix, bytes));
  return items;
}

export const unreadable = (prefix: string, bytes: Buffer): SurfaceItem => ({
  id: `${prefix}settings`,
  hash: sha256(bytes),
  sentence: `${prefix}the settings could not be read completely; they may name more programs.`,
});

async function hookItems(folder: string, prefix: string): Promise<SurfaceItem[]> {
  const items: SurfaceItem[] = [];
  for (const name of (await names(folder)).slice(0, MAX_HOOKS)) {
    if (name.endsWith('.sample')) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (!found?.isFile() || (found.mode & 0o111) === 0) continue;
    const bytes = await readSmall(path, MAX_HOOK);
    const link = await readlink(path).catch(() => '');
    items.push({
      id: `${prefix}hook ${name}`,
      // Too large to read: size and time stand in for the content.
      hash: bytes ? sha256(Buffer.concat([Buffer.from(link), bytes])) : `${found.size}-${found.mtimeMs}`,
      sentence: `${prefix}the hook “${shown(name)}” is a program that git runs.`,
    });
  }
  return items;
}

const names = async (folder: string): Promise<string[]> => (await readdir(folder).catch(() => [])).sort();

interface Nested {
  gitDir: string;
  label: string;
}

/**
 * Submodules and repositories inside the checkout. Bounded: nothing of ours ever runs git in them, so one that lies
 * deeper is not run, only not mentioned.
 */
async function nestedRepositories(repo: Repository): Promise<Nested[]> {
  const found: Nested[] = [];
  const modules = join(repo.gitDir, 'modules');
  const queue: { folder: string; depth: number; modules: boolean }[] = [
    { folder: modules, depth: 0, modules: true },
    { folder: repo.path, depth: 0, modules: false },
  ];
  for (let i = 0; i < queue.length && i < MAX_FOLDERS && found.length < MAX_NESTED; i++) {
    const at = queue[i] as (typeof queue)[number];
    if (at.modules && at.folder !== modules && (await isGitFolder(at.folder))) {
      found.push({ gitDir: at.folder, label: `submodule ${relative(modules, at.folder)}` });
    } else if (!at.modules && at.folder !== repo.path) {
      const gitDir = await gitFolderIn(at.folder, repo);
      if (gitDir) found.push({ gitDir, label: relative(repo.path, at.folder) });
    }
    if (at.depth >= MAX_DEPTH) continue;
    const entries = await readdir(at.folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === '.git' || entry.name === 'node_modules') continue;
      queue.push({ folder: join(at.folder, entry.name), depth: at.depth + 1, modules: at.modules });
    }
  }
  return found.sort((a, b) => (a.label < b.label ? -1 : 1));
}

async function gitFolderIn(folder: string, repo: Repository): Promise<string | null> {
  const dot = join(folder, '.git');
  if (await isGitFolder(dot)) return dot;
  const pointer = await readSmall(dot, 8 * 1024);
  const target = pointer && /^gitdir: (.+?)\n?$/s.exec(pointer.toString('utf8'))?.[1];
  if (!target) return null;
  const gitDir = await realpath(resolve(folder, target)).catch(() => null);
  // Inside our own git folder it is a submodule or a worktree, both looked at above.
  return gitDir === null || gitDir.startsWith(`${repo.gitDir}/`) ? null : gitDir;
}
