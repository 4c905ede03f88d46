import { lstatSync } from 'node:fs';
import { AppError } from '../contract';
import { type RunResult, run } from '../platform';
import { isRepositoryScope, parseConfigList } from './config-list';

/** A repository whose place was looked up once; every later call names it explicitly and discovers nothing. */
export interface Repository {
  path: string; // real path of the main checkout
  gitDir: string; // the common git folder
}

export interface GitDeps {
  program: string | null; // absolute path, null when not installed
  env: Record<string, string>; // closed: PATH, HOME, LC_ALL
}

export interface GitCall {
  cwd?: string;
  timeoutMs?: number;
  maxBytes?: number;
}

/**
 * What the read profile may call, with the flags that must always come along. Configuration alone does not stop a
 * repository's own `diff.external`, textconv or filters (measured), and a status that descends into a submodule
 * reads that submodule's settings, whose filters we have not switched off.
 */
const DIFF = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--submodule=short'];
const READS: Record<string, { flags: readonly string[]; filters: boolean }> = {
  version: { flags: [], filters: false },
  'check-ref-format': { flags: [], filters: false },
  config: { flags: ['--show-scope', '--list', '-z'], filters: false },
  'rev-parse': { flags: [], filters: false },
  'for-each-ref': { flags: [], filters: false },
  worktree: { flags: ['list'], filters: false },
  'cat-file': { flags: [], filters: true },
  'ls-files': { flags: [], filters: true },
  status: { flags: ['--ignore-submodules=dirty'], filters: true },
  diff: { flags: DIFF, filters: true },
  log: { flags: DIFF, filters: true },
  show: { flags: DIFF, filters: true },
  blame: { flags: ['--no-textconv'], filters: true },
  grep: { flags: ['--no-textconv', '--no-recurse-submodules'], filters: true },
};
export const READ_COMMANDS: readonly string[] = Object.keys(READS);

const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'safe.bareRepository=explicit',
  'protocol.ext.allow=never',
  'log.showSignature=false',
  'credential.helper=',
  'core.askPass=',
  'core.sshCommand=ssh',
];

const QUIET = { LC_ALL: 'C.UTF-8', LANGUAGE: '', GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '' };
const READ_ENV = {
  ...QUIET,
  GIT_OPTIONAL_LOCKS: '0',
  // A partial clone fetches a missing object in the middle of a read, through a program named in its own
  // configuration. An empty list forbids every transport; the second variable is the newer, direct way.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
};

const READ_TIMEOUT_MS = 20_000;
const WRITE_TIMEOUT_MS = 300_000;

export interface GitRunner {
  /**
   * A read that runs nothing of the repository's: no hooks, filters, helpers, monitors, pagers or transports.
   * `repo` null only for calls that need none, or that discover one in `cwd`. Resolves for every exit code;
   * throws AppError when git is missing, the folder is gone, or a limit was hit.
   */
  read(repo: Repository | null, args: readonly string[], call?: GitCall): Promise<RunResult>;
  /** A change the user asked for in a repository they trust: their hooks and filters run. */
  write(repo: Repository, args: readonly string[], call?: GitCall): Promise<RunResult>;
}

export function createRunner(deps: GitDeps): GitRunner {
  const call = async (
    args: readonly string[],
    env: Record<string, string>,
    cwd: string,
    limits: GitCall & { timeoutMs: number },
  ): Promise<RunResult> => {
    const { program } = deps;
    if (program === null) throw gitMissing();
    const { timeoutMs, maxBytes } = limits;
    let result: RunResult;
    try {
      result = await run(program, args, {
        cwd,
        env: { ...deps.env, ...env },
        timeoutMs,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
    } catch (cause) {
      if (!isFolder(cwd)) throw folderGone(cwd, cause);
      throw gitMissing(cause);
    }
    if (result.timedOut) {
      throw new AppError({
        code: 'unavailable',
        message: `git did not finish within ${Math.round(timeoutMs / 1000)} seconds in ${cwd}.`,
        hint: 'The disk may be slow or the repository very large. Try again.',
      });
    }
    if (result.tooBig) {
      throw new AppError({ code: 'unavailable', message: `git printed more than can be shown for ${cwd}.` });
    }
    return result;
  };

  const read: GitRunner['read'] = async (repo, args, limits = {}) => {
    const [name = '', ...rest] = args;
    const rule = READS[name];
    // A programming error: a command enters the table together with the flags that make it safe.
    if (!rule) throw new Error(`git ${name} is not in the table of safe reads`);
    const cwd = limits.cwd ?? repo?.path ?? '/';
    const overrides = rule.filters && repo ? await localFilters(repo) : {};
    const argv = [
      '--no-pager',
      '--no-optional-locks',
      '--literal-pathspecs',
      ...where(repo),
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
      name,
      ...rule.flags,
      ...rest,
    ];
    return call(argv, { ...READ_ENV, ...overrides }, cwd, { timeoutMs: READ_TIMEOUT_MS, ...limits });
  };

  /**
   * An empty override of every filter the repository itself defines; the user's own, such as LFS, stay. Through the
   * environment, because `-c` splits at the first "=" and a filter may have one in its name.
   */
  const localFilters = async (repo: Repository): Promise<Record<string, string>> => {
    const listed = await read(repo, ['config']);
    const names = new Set<string>();
    for (const { scope, key } of parseConfigList(listed.stdout)) {
      const match = isRepositoryScope(scope) && /^(filter\..*)\.(?:clean|smudge|process)$/s.exec(key);
      if (match) names.add(match[1] as string);
    }
    const pairs = [...names].flatMap((name) => [
      [`${name}.clean`, ''],
      [`${name}.smudge`, ''],
      [`${name}.process`, ''],
      [`${name}.required`, 'false'],
    ]);
    const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
    pairs.forEach(([key = '', value = ''], i) => {
      env[`GIT_CONFIG_KEY_${i}`] = key;
      env[`GIT_CONFIG_VALUE_${i}`] = value;
    });
    return env;
  };

  return {
    read,
    write: (repo, args, limits = {}) =>
      call(['--no-pager', ...where(repo), ...args], QUIET, limits.cwd ?? repo.path, {
        timeoutMs: WRITE_TIMEOUT_MS,
        ...limits,
      }),
  };
}

const where = (repo: Repository | null): string[] =>
  repo ? [`--git-dir=${repo.gitDir}`, `--work-tree=${repo.path}`] : [];

const isFolder = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
};

const gitMissing = (cause?: unknown): AppError =>
  new AppError({
    code: 'missing-tool',
    message: 'git was not found on this machine, or could not be started.',
    hint: 'Install git 2.31 or newer and start Offdeck again.',
    cause,
  });

export const folderGone = (path: string, cause?: unknown): AppError =>
  new AppError({
    code: 'not-found',
    message: `The folder ${path} is not there.`,
    hint: 'It may have been moved, deleted, or be on a disk that is not connected.',
    cause,
  });

/** git's own last words as one line, for an error we have no better sentence for. */
export const lastWords = (stderr: string): string => {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? 'no reason given';
  return fatal.replace(/^(fatal|error): /, '').slice(0, 300);
};
