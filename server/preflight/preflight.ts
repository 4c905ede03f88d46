import type { Check } from '../contract';
import type { Config, RunOptions, RunResult } from '../platform';
import { installCommand, type Tool } from './install';

export interface PreflightInput {
  config: Pick<Config, 'path' | 'toolEnv'>;
  findProgram(name: string, path: string): string | null;
  run(file: string, args: readonly string[], options: RunOptions): Promise<RunResult>;
  arch: string; // as Node names it: x64, arm64
  platform: string;
  nodeVersion: string;
  /** The text of /proc/cpuinfo, or null where there is none. */
  cpuInfo(): string | null;
}

const NODE = [20, 9] as const;
const TMUX = [3, 2] as const;
const GIT = [2, 31] as const;

/** Looks at everything at once and reports each thing; resolves always. */
export async function preflight(input: PreflightInput): Promise<Check[]> {
  const [tmux, git, python] = await Promise.all([
    program(input, { tool: 'tmux', flag: '-V', least: TMUX, required: true, why: 'holds the sessions' }),
    program(input, { tool: 'git', flag: '--version', least: GIT, required: true, why: 'makes worktrees' }),
    program(input, {
      tool: 'python3',
      flag: '--version',
      least: [3, 0],
      required: false,
      why: 'only to compile native modules where no ready binary fits',
    }),
  ]);
  return [nodeCheck(input), tmux, git, python, ...cpuCheck(input)];
}

interface Wanted {
  tool: Tool;
  flag: string;
  least: readonly [number, number];
  required: boolean;
  why: string;
}

async function program(input: PreflightInput, wanted: Wanted): Promise<Check> {
  const { tool, least, required } = wanted;
  const label = `${tool} ${least.join('.')} or newer`;
  const fix = installCommand(tool, (name) => input.findProgram(name, input.config.path) !== null);
  const bad = (detail: string): Check => ({ id: tool, label, ok: false, required, detail, fix });
  const path = input.findProgram(tool, input.config.path);
  if (path === null) return bad(`${tool} was not found on PATH (${wanted.why}).`);
  const said = await firstLine(input, path, wanted.flag);
  if (said === null) return bad(`${path} does not run.`);
  const version = parseVersion(said);
  if (version === null) return bad(`${path} says "${said}", which is no version.`);
  if (!atLeast(version, least)) {
    return bad(`${path} is ${version.text}; ${least.join('.')} or newer is needed (${wanted.why}).`);
  }
  return { id: tool, label, ok: true, required, detail: `${version.text} at ${path}`, fix: null };
}

/** The first line a program prints about itself; null when it cannot be run or fails (a shim without a program). */
async function firstLine(input: PreflightInput, path: string, flag: string): Promise<string | null> {
  try {
    const result = await input.run(path, [flag], { env: input.config.toolEnv, timeoutMs: 5_000 });
    if (result.code !== 0) return null;
    return result.stdout.toString('utf8').split('\n')[0]?.trim().slice(0, 80) ?? '';
  } catch {
    return null;
  }
}

interface Version {
  major: number;
  minor: number;
  text: string;
}

/** Reads "tmux 3.3a", "tmux next-3.5", "git version 2.39.5 (Apple Git-154)", "Python 3.12.1". */
export function parseVersion(text: string): Version | null {
  const found = /(\d+)\.(\d+)[\w.-]*/.exec(text);
  if (!found) return null;
  return { major: Number(found[1]), minor: Number(found[2]), text: found[0] };
}

export const atLeast = (
  version: Pick<Version, 'major' | 'minor'>,
  [major, minor]: readonly [number, number],
): boolean => version.major > major || (version.major === major && version.minor >= minor);

function nodeCheck({ nodeVersion }: PreflightInput): Check {
  const version = parseVersion(nodeVersion);
  const ok = version !== null && atLeast(version, NODE);
  return {
    id: 'node',
    label: `Node.js ${NODE.join('.')} or newer`,
    ok,
    required: true,
    detail: nodeVersion,
    fix: ok ? null : 'Install a newer Node.js from https://nodejs.org/',
  };
}

/** One vendor's binary stops with "illegal instruction" on older processors; better said before than seen in a pane. */
function cpuCheck({ arch, platform, cpuInfo }: PreflightInput): Check[] {
  if (arch !== 'x64' || platform !== 'linux') return [];
  const info = cpuInfo();
  const ok = info === null || /^flags\s*:.*\bavx2\b/m.test(info);
  return [
    {
      id: 'avx2',
      label: 'AVX2, for Claude Code on x86-64',
      ok,
      required: false,
      detail:
        info === null
          ? 'Could not be read here.'
          : ok
            ? 'The processor has it.'
            : 'This processor has no AVX2: Claude Code will not start.',
      fix: ok ? null : 'Run Offdeck on another machine, or use another agent.',
    },
  ];
}
