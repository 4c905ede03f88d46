import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { AppError } from '../contract';

export interface Folder {
  name: string;
  path: string;
  repository: boolean; // has a `.git`, by name alone
}
export interface FolderPage {
  path: string;
  parent: string | null;
  entries: Folder[];
  truncated: boolean;
}

export const MAX_ENTRIES = 500;

/** `~` and `~/x` as a shell would read them; everything else must be absolute. Throws AppError. */
export function absolutePath(path: string, userHome: string): string {
  const full = path === '~' ? userHome : path.startsWith('~/') ? join(userHome, path.slice(2)) : path;
  if (!isAbsolute(full) || full.includes('\0')) {
    throw new AppError({
      code: 'bad-input',
      message: 'The path of a folder must begin with “/” or “~/”.',
      hint: 'Give the whole path, for example ~/code/my-project.',
    });
  }
  return resolve(full);
}

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Turns a file system refusal into a sentence. */
export function folderError(path: string, cause: unknown): AppError {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new AppError({
      code: 'not-found',
      message: `The folder ${path} is not there.`,
      hint: 'Check the path.',
      cause,
    });
  }
  if (code === 'ENOTDIR') {
    return new AppError({
      code: 'bad-input',
      message: `${path} is not a folder.`,
      hint: 'Choose a folder.',
      cause,
    });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new AppError({
      code: 'not-allowed',
      message: `You may not read the folder ${path}.`,
      hint: 'On macOS, allow the terminal to read it in the privacy settings; elsewhere check its permissions.',
      cause,
    });
  }
  return new AppError({
    code: 'unavailable',
    message: `The folder ${path} cannot be read: ${message}`,
    hint: 'Its disk may be disconnected.',
    cause,
  });
}

/**
 * The folders in a folder, for choosing a repository. Looks at names only: nothing is opened and no git runs. Our own
 * state folder is neither listed nor entered, since it holds secrets (S-35). Throws AppError.
 */
export async function browseFolder(
  path: string,
  limits: { stateHome: string; max?: number },
): Promise<FolderPage> {
  const { stateHome, max = MAX_ENTRIES } = limits;
  const state = await realpath(stateHome).catch(() => stateHome);
  let real: string;
  let found: Dirent[];
  try {
    real = await realpath(path);
    if (isInside(real, state)) {
      throw new AppError({
        code: 'not-allowed',
        message: 'This is Offdeck’s own folder; it cannot be opened here.',
        hint: 'Choose another folder.',
      });
    }
    found = await readdir(path, { withFileTypes: true });
  } catch (cause) {
    throw cause instanceof AppError ? cause : folderError(path, cause);
  }
  const names: string[] = [];
  for (const entry of found) {
    // A name that is not valid UTF-8 cannot be opened again from a string.
    if (entry.name === '.git' || entry.name.includes('\uFFFD')) continue;
    if (entry.isDirectory()) {
      if (join(real, entry.name) !== state) names.push(entry.name);
    } else if (entry.isSymbolicLink()) {
      const target = await realpath(join(path, entry.name)).catch(() => null);
      if (target === null || isInside(target, state)) continue;
      if ((await stat(target).catch(() => null))?.isDirectory()) names.push(entry.name);
    }
  }
  const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const hidden = (name: string) => Number(name.startsWith('.'));
  names.sort((a, b) => hidden(a) - hidden(b) || order.compare(a, b) || (a < b ? -1 : 1));
  const entries = await Promise.all(
    names.slice(0, max).map(async (name) => {
      const full = join(path, name);
      const repository = (await lstat(join(full, '.git')).catch(() => null)) !== null;
      return { name, path: full, repository };
    }),
  );
  const parent = dirname(path);
  return { path, parent: parent === path ? null : parent, entries, truncated: names.length > max };
}
