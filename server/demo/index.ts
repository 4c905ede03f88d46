/**
 * The demo: throw-away repositories and scripted agents, so that a newcomer without any CLI sees the board alive. It
 * only calls what a device could call; it never touches anything outside the folder it is given.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../api/services';
import { type Journal, processAlive, run, systemClock } from '../platform';
import { DEMO_SESSIONS } from './scripts';

export interface DemoOptions {
  folder: string; // private, and the demo's alone
  git: string;
  env: Record<string, string>;
  services: Pick<Services, 'projects' | 'sessions'>;
  journal: Journal;
}

async function makeRepository(options: DemoOptions, name: string): Promise<string> {
  const path = join(options.folder, name);
  mkdirSync(join(path, 'src'), { recursive: true });
  mkdirSync(join(path, 'docs'), { recursive: true });
  writeFileSync(join(path, 'README.md'), `# ${name}\n\nA throw-away repository of the Offdeck demo.\n`);
  writeFileSync(join(path, 'src', 'index.js'), 'export const ready = true;\n');
  writeFileSync(join(path, 'docs', 'notes.md'), 'Notes.\n');
  const identity = [
    '-c',
    'user.name=Offdeck demo',
    '-c',
    'user.email=demo@localhost',
    '-c',
    'commit.gpgsign=false',
  ];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...identity, 'commit', '-q', '-m', 'First commit'],
  ]) {
    const result = await run(options.git, ['-C', path, ...args], { env: options.env });
    if (result.code !== 0) throw new Error(`git ${args[0]} failed: ${result.stderr}`);
  }
  return path;
}

export async function startDemo(options: DemoOptions): Promise<void> {
  const { services, journal } = options;
  const ids = new Map<string, Awaited<ReturnType<typeof services.projects.trust>>['id']>();
  for (const name of new Set(DEMO_SESSIONS.map((session) => session.project))) {
    const { project, trust } = await services.projects.add(await makeRepository(options, name));
    await services.projects.trust(project.id, trust.digest);
    ids.set(name, project.id);
  }
  for (const session of DEMO_SESSIONS) {
    const projectId = ids.get(session.project);
    if (!projectId) continue;
    await services.sessions
      .start({
        vendor: 'scripted',
        projectId,
        workplace: { type: 'new', branch: session.branch, base: 'main' },
        mode: 'build',
        permission: 'ask',
        prompt: session.prompt,
        name: session.name,
      })
      .catch((cause: unknown) => journal.warn(`demo session "${session.name}" did not start`, cause));
  }
}

const END_MS = 5_000;

/**
 * Ends the demo's agents (`serverPid`: its tmux server, or null) and empties its folder, also of what a demo that was
 * killed left behind. Keeps `runtime` with the sockets: the caller holds the instance lock there.
 */
export async function clearDemo(folder: string, runtime: string, serverPid: number | null): Promise<void> {
  if (serverPid !== null) {
    process.kill(serverPid, 'SIGTERM');
    const until = systemClock.mono() + END_MS;
    while (processAlive(serverPid) && systemClock.mono() < until) await pause(20);
  }
  for (const parent of [folder, dirname(runtime)]) {
    if (parent !== folder && dirname(parent) !== folder) continue; // sockets elsewhere: nothing of the demo is there
    for (const name of readdirSync(parent)) {
      const path = join(parent, name);
      if (path === runtime || runtime.startsWith(`${path}/`)) continue;
      // An agent that was hung up may still write its last line.
      rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }
}
