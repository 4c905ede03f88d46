import { describe, expect, it } from 'vitest';
import { Check } from '../contract';
import { type RunResult, readConfig } from '../platform';
import { preflightHere } from './here';
import { atLeast, type PreflightInput, parseVersion, preflight } from './preflight';

const result = (stdout: string, code = 0): RunResult => ({
  code,
  signal: null,
  stdout: Buffer.from(stdout),
  stderr: '',
  timedOut: false,
  tooBig: false,
});

/** A machine with the given programs and what each prints about its version. */
function machine(
  programs: Record<string, string | Error | RunResult>,
  rest: Partial<PreflightInput> = {},
): PreflightInput {
  return {
    config: { path: '/bin', toolEnv: {} },
    findProgram: (name) => (name in programs ? `/bin/${name}` : null),
    run: async (file) => {
      const said = programs[file.slice(5)];
      if (said instanceof Error) throw said;
      return typeof said === 'string' ? result(said) : (said as RunResult);
    },
    arch: 'x64',
    platform: 'linux',
    nodeVersion: 'v20.20.2',
    cpuInfo: () => 'processor\t: 0\nflags\t\t: fpu avx avx2 bmi\n',
    ...rest,
  };
}
const GOOD = { tmux: 'tmux 3.3a\n', git: 'git version 2.39.5\n', python3: 'Python 3.11.2\n' };
const byId = async (input: PreflightInput) =>
  Object.fromEntries((await preflight(input)).map((check) => [check.id, Check.parse(check)]));

describe('the preflight', () => {
  it('is content with a good machine', async () => {
    const checks = await byId(machine(GOOD));
    expect(Object.keys(checks)).toEqual(['node', 'tmux', 'git', 'python3', 'avx2']);
    for (const check of Object.values(checks)) expect(check).toMatchObject({ ok: true, fix: null });
    expect(checks.tmux?.detail).toBe('3.3a at /bin/tmux');
  });

  it.each([
    ['apt-get', 'sudo apt-get install -y tmux'],
    ['dnf', 'sudo dnf install -y tmux'],
    ['brew', 'brew install tmux'],
    ['pacman', 'sudo pacman -S --needed tmux'],
  ])('gives the command of %s for what is missing', async (manager, command) => {
    const checks = await byId(machine({ git: GOOD.git, [manager]: '' }));
    expect(checks.tmux).toMatchObject({ ok: false, required: true, fix: command });
    expect(checks.python3).toMatchObject({ ok: false, required: false });
  });

  it('has a sentence where no package manager is known', async () => {
    expect((await byId(machine({}))).git?.fix).toBe("Install git with this system's package manager.");
  });

  it.each([
    ['tmux 3.1c', false],
    ['tmux 3.2', true],
    ['tmux next-3.5', true],
    ['tmux openbsd-7.4', true],
    ['tmux 10.0', true],
    ['tmux master', false],
  ])('judges "%s"', async (text, ok) => {
    expect((await byId(machine({ ...GOOD, tmux: text }))).tmux?.ok).toBe(ok);
  });

  it('judges git by 2.31', async () => {
    expect((await byId(machine({ ...GOOD, git: 'git version 2.30.9' }))).git).toMatchObject({ ok: false });
    expect((await byId(machine({ ...GOOD, git: 'git version 2.31.0 (Apple Git-130)' }))).git?.ok).toBe(true);
  });

  it('does not take a shim or a broken file for the program', async () => {
    const checks = await byId(
      machine({ ...GOOD, python3: result('', 127), tmux: new Error('spawn EACCES'), 'apt-get': '' }),
    );
    expect(checks.python3).toMatchObject({ ok: false, detail: '/bin/python3 does not run.' });
    expect(checks.tmux).toMatchObject({ ok: false, fix: 'sudo apt-get install -y tmux' });
  });

  it('asks for AVX2 only where it matters', async () => {
    const old = { cpuInfo: () => 'flags\t\t: fpu avx bmi\n' };
    expect((await byId(machine(GOOD, old))).avx2).toMatchObject({ ok: false, required: false });
    expect((await byId(machine(GOOD, { ...old, arch: 'arm64' }))).avx2).toBeUndefined();
    expect((await byId(machine(GOOD, { ...old, platform: 'darwin' }))).avx2).toBeUndefined();
    expect((await byId(machine(GOOD, { cpuInfo: () => null }))).avx2?.ok).toBe(true);
  });

  it('refuses an old Node.js', async () => {
    expect((await byId(machine(GOOD, { nodeVersion: 'v20.8.1' }))).node?.ok).toBe(false);
    expect((await byId(machine(GOOD, { nodeVersion: 'v26.0.0' }))).node?.ok).toBe(true);
  });

  it('finds the real programs of this machine', async () => {
    const checks = Object.fromEntries((await preflightHere(readConfig())).map((one) => [one.id, one]));
    expect(checks.tmux?.ok).toBe(true);
    expect(checks.git?.ok).toBe(true);
    expect(checks.node?.ok).toBe(true);
  });
});

describe('versions', () => {
  it('compare by number', () => {
    expect(atLeast({ major: 3, minor: 10 }, [3, 2])).toBe(true);
    expect(atLeast({ major: 2, minor: 99 }, [3, 2])).toBe(false);
    expect(parseVersion('no digits')).toBe(null);
  });
});
