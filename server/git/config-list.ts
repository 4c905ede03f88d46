/** One setting as git lists it. A key without a value is git's way of saying "true". */
export interface ConfigEntry {
  scope: string;
  key: string; // section and name in lower case, the middle part as written
  value: string;
}

/** Parses `config --show-scope --list -z`: scope NUL key LF value NUL. */
export function parseConfigList(bytes: Buffer): ConfigEntry[] {
  const parts = bytes.toString('utf8').split('\0');
  const entries: ConfigEntry[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const pair = parts[i + 1] as string;
    const cut = pair.indexOf('\n');
    entries.push({
      scope: parts[i] as string,
      key: cut < 0 ? pair : pair.slice(0, cut),
      value: cut < 0 ? 'true' : pair.slice(cut + 1),
    });
  }
  return entries;
}

/** Scopes that travel with the repository, as opposed to the user's and the machine's own settings. */
export const isRepositoryScope = (scope: string): boolean => scope === 'local' || scope === 'worktree';
