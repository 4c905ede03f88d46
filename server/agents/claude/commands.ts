import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { VendorCommand } from '../../contract';
import { readSmall } from '../../platform';
import type { VendorEnv } from '../port';

/** Commands of the CLI itself that work without a dialog in the terminal (2.1.197). */
const OWN: readonly Omit<VendorCommand, 'from'>[] = [
  { name: 'compact', hint: 'Frees context by summarising the conversation so far', takes: '[what to keep]' },
  { name: 'clear', hint: 'Begins a new conversation with empty context', takes: null },
  { name: 'context', hint: 'Shows what fills the context', takes: null },
  { name: 'init', hint: 'Writes a CLAUDE.md for this repository', takes: null },
  { name: 'review', hint: 'Reviews a pull request', takes: '[number]' },
  { name: 'code-review', hint: 'Reviews the current changes', takes: '[effort]' },
  { name: 'security-review', hint: 'Reviews the pending changes for security', takes: null },
];

const MAX_FILE = 64 * 1024;
const MAX_FOUND = 300;
const MAX_DEPTH = 4;
/** What a command's name may be made of; it becomes words that are typed. */
const NAME = /^[A-Za-z0-9][\w.-]*$/;

const Front = z.object({
  description: z.string().optional().catch(undefined),
  'argument-hint': z.union([z.string(), z.array(z.unknown())]).optional(),
  'user-invocable': z.boolean().optional().catch(undefined),
});

/** The head of a command's file, as far as it can be read; it is written by whoever wrote the repository. */
function head(text: string): z.infer<typeof Front> {
  const block = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1];
  if (block === undefined) return {};
  try {
    return Front.parse(parse(block, { logLevel: 'silent', maxAliasCount: 0 }) ?? {});
  } catch {
    return {}; // not YAML: the command works all the same
  }
}

async function command(
  path: string,
  name: string,
  from: VendorCommand['from'],
): Promise<VendorCommand | null> {
  const bytes = await readSmall(path, MAX_FILE);
  if (bytes === null) return null;
  const text = bytes.toString('utf8');
  const about = head(text);
  if (about['user-invocable'] === false) return null;
  const takes = about['argument-hint'];
  // `argument-hint: [name]` is a list to YAML and words to everybody else.
  const words = Array.isArray(takes) ? `[${takes.map(String).join(', ')}]` : takes;
  const plain = text.replace(/^---\r?\n[\s\S]*?\r?\n---\s*/, '');
  const hint = about.description ?? plain.split('\n').find((line) => line.trim() !== '') ?? '';
  return {
    name,
    hint: hint.replace(/\s+/g, ' ').trim().slice(0, 200),
    takes: words?.slice(0, 100) || (/\$(ARGUMENTS|\d)/.test(text) ? '[words]' : null),
    from,
  };
}

/** `<folder>/front/widget.md` is `/front:widget` (2.1.197). */
async function inCommands(
  folder: string,
  from: VendorCommand['from'],
  prefix = '',
  depth = 0,
): Promise<VendorCommand[]> {
  const found: VendorCommand[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (found.length >= MAX_FOUND) break;
    if (entry.isDirectory() && depth < MAX_DEPTH && NAME.test(entry.name)) {
      found.push(...(await inCommands(join(folder, entry.name), from, `${prefix}${entry.name}:`, depth + 1)));
    } else if (entry.isFile() && entry.name.endsWith('.md') && NAME.test(entry.name.slice(0, -3))) {
      const one = await command(join(folder, entry.name), prefix + entry.name.slice(0, -3), from);
      if (one) found.push(one);
    }
  }
  return found;
}

/** A skill is called by its folder's name (2.1.197 takes the name in its file too, and records the folder's). */
async function inSkills(folder: string, from: VendorCommand['from']): Promise<VendorCommand[]> {
  const found: VendorCommand[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (found.length >= MAX_FOUND) break;
    if (!entry.isDirectory() || !NAME.test(entry.name)) continue;
    const one = await command(join(folder, entry.name, 'SKILL.md'), entry.name, from);
    if (one) found.push(one);
  }
  return found;
}

export async function commands(place: VendorEnv & { cwd: string }): Promise<VendorCommand[]> {
  const home = place.env.CLAUDE_CONFIG_DIR || join(place.userHome, '.claude');
  const own = join(place.cwd, '.claude');
  const lists = await Promise.all([
    inCommands(join(own, 'commands'), 'project'),
    inSkills(join(own, 'skills'), 'project'),
    inCommands(join(home, 'commands'), 'user'),
    inSkills(join(home, 'skills'), 'user'),
  ]);
  const named = new Map<string, VendorCommand>();
  for (const one of [...OWN.map((each) => ({ ...each, from: 'cli' as const })), ...lists.flat()]) {
    // What a repository calls like the CLI's own does not take its place in the list.
    if (!named.has(one.name)) named.set(one.name, one);
  }
  return [...named.values()];
}
