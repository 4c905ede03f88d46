import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, readConfig, run } from '../platform';

/** A temp folder with a home of its own, and the real git in it, for tests. */
export function gitSandbox() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offdeck-git-')));
  const config = readConfig();
  const program = findProgram('git', config.path);
  if (!program) throw new Error('these tests need git');
  const home = join(root, 'home');
  mkdirSync(home);
  const env = { PATH: config.path, HOME: home, LC_ALL: 'C.UTF-8' };
  const identity = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Test'],
      [`GIT_${who}_EMAIL`, 'test@example.org'],
    ]),
  );
  /** Plain git as a person runs it: no hardening. Returns stdout; throws unless `mayFail`. */
  const plain = async (cwd: string, args: string[], options: { input?: string; mayFail?: boolean } = {}) => {
    const result = await run(program, args, {
      cwd,
      env: { ...env, ...identity },
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    if (result.code !== 0 && !options.mayFail) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
    return result.stdout.toString('utf8').trimEnd();
  };
  return {
    root,
    home,
    env,
    program,
    plain,
    /** A repository with one commit. */
    async repository(name: string, branch = 'main'): Promise<string> {
      const path = join(root, name);
      mkdirSync(path, { recursive: true });
      await plain(path, ['init', '-q', '-b', branch]);
      await plain(path, ['commit', '-q', '--allow-empty', '-m', 'first']);
      return path;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
export type GitSandbox = ReturnType<typeof gitSandbox>;
