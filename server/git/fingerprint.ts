import { join } from 'node:path';
import { AppError } from '../contract';
import { canonicalJson, readSmall, sha256 } from '../platform';
import { parseConfigList } from './config-list';
import { parseConfigText } from './config-text';
import { execSurface, shown, unreadable } from './exec-surface';
import { type GitRunner, lastWords, type Repository } from './runner';

export interface Risks {
  sentences: string[];
  digest: string; // differs when a named program's content differs, though its sentence is the same
}

/**
 * What would run in a repository, as sentences for the question of trust. Reads files only; no git (S-33). For
 * showing: the fingerprint, taken by git's own reading of its settings, is what is later compared.
 */
export async function readRisks(repo: Repository, home: string): Promise<Risks> {
  const entries = [];
  const extra = [];
  for (const name of ['config', 'config.worktree']) {
    const bytes = await readSmall(join(repo.gitDir, name));
    if (!bytes) continue;
    const parsed = parseConfigText(bytes.toString('utf8'));
    entries.push(...parsed.entries);
    if (!parsed.complete) extra.push(unreadable('', bytes));
  }
  const items = [...(await execSurface(repo, entries, home)), ...extra];
  return {
    sentences: [...new Set(items.map(({ sentence }) => sentence[0]?.toUpperCase() + sentence.slice(1)))],
    digest: sha256(canonicalJson(items.map(({ id, hash }) => [id, hash]))),
  };
}

/**
 * The fingerprint of everything in a trusted repository that can make git run a program: a sorted list of names with
 * a short hash of each, so a later look can say what changed and not only that something did.
 */
export async function fingerprintOf(git: GitRunner, repo: Repository, home: string): Promise<string> {
  const listed = await git.read(repo, ['config']);
  if (listed.code !== 0) {
    throw new AppError({
      code: 'bad-input',
      message: `git cannot read the settings of ${repo.path}: ${lastWords(listed.stderr)}`,
      hint: `Look at ${join(repo.gitDir, 'config')}.`,
    });
  }
  const out: Record<string, string> = {};
  for (const { id, hash } of await execSurface(repo, parseConfigList(listed.stdout), home)) {
    // Two things may share a name (a hooks folder named twice); neither may hide the other.
    out[id] = (out[id] ? `${out[id]}+` : '') + hash.slice(0, 16);
  }
  return canonicalJson(out);
}

/** What differs between two fingerprints, one sentence each. Empty when nothing does. */
export function fingerprintChanges(before: string, after: string): string[] {
  if (before === after) return [];
  const old = parse(before);
  const now = parse(after);
  if (!old || !now) return ['What git would run here changed.'];
  const changes: string[] = [];
  for (const id of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[id] === now[id]) continue;
    const what = old[id] === undefined ? 'is new' : now[id] === undefined ? 'was removed' : 'changed';
    changes.push(`${shown(id)} ${what}.`);
  }
  return changes.map((text) => text[0]?.toUpperCase() + text.slice(1)).sort();
}

const parse = (text: string): Record<string, string> | null => {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return null;
  }
};
