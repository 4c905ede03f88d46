import { AppError, type Check, type ErrorShape } from '../contract';
import { type Config, demoHomeOf, openUrl, type Paths, pathsFor, systemClock, VERSION } from '../platform';
import { preflightHere } from '../preflight';
import { type Command, HELP } from './args';
import { askHost } from './ask-host';
import { showChecks, showReport, showStatus } from './show';

export const EXIT = { ok: 0, failed: 1, usage: 2, notRunning: 3, notReady: 4, running: 5 } as const;

/** The exit code of each kind of failure, so that a script can tell them apart. */
export function exitCodeOf(error: ErrorShape): number {
  switch (error.code) {
    case 'bad-input':
      return EXIT.usage;
    case 'not-found':
      return EXIT.notRunning;
    case 'missing-tool':
      return EXIT.notReady;
    case 'conflict':
      return EXIT.running;
    default:
      return EXIT.failed;
  }
}

export interface CliDeps {
  config: Config;
  out(text: string): void;
  /** Loads the host and runs it in this process. */
  startHost(options: { demo: boolean; open: boolean }): Promise<unknown>;
}

/** Carries out one command; the exit code, or null when the process goes on as the host. Throws AppError. */
export async function perform(command: Command, deps: CliDeps): Promise<number | null> {
  const { config, out } = deps;
  switch (command.name) {
    case 'help':
      out(HELP);
      return EXIT.ok;
    case 'version':
      out(`${VERSION}\n`);
      return EXIT.ok;
    case 'start': {
      refuseMissing(await preflightHere(config), out);
      await deps.startHost({ demo: command.demo, open: command.open });
      return null;
    }
    case 'open': {
      const paths = await running(config);
      const { url } = await askHost(paths.controlSocket, 'open');
      const { path, sessionEnv } = config;
      const opened = !command.print && (await openUrl({ url, folder: paths.runtime, path, env: sessionEnv }));
      out(opened ? 'Opened in your browser.\n' : `${url}\n`);
      return EXIT.ok;
    }
    case 'status': {
      const { status } = await askHost((await running(config)).controlSocket, 'status');
      out(command.json ? `${JSON.stringify(status, null, 2)}\n` : showStatus(status, systemClock.now()));
      return EXIT.ok;
    }
    case 'doctor':
      return doctor(command.json, deps);
    case 'stop': {
      const { controlSocket } = await running(config);
      await askHost(controlSocket, 'stop');
      await untilGone(controlSocket);
      out('Stopped. Agents keep running in tmux.\n');
      return EXIT.ok;
    }
  }
}

/** Where the host runs that a command is meant for: the own one, else a demo. Throws AppError `not-found`. */
async function running(config: Config): Promise<Paths> {
  const own = pathsFor(config.home);
  const demo = pathsFor(demoHomeOf(config.home));
  const absent = (error: unknown) => error instanceof AppError && error.code === 'not-found';
  for (const paths of [own, demo]) {
    try {
      await askHost(paths.controlSocket, 'ping', 1_000);
      return paths;
    } catch (error) {
      // A host that is there and does not answer gets the command all the same: it says more than a ping could.
      if (!absent(error)) return paths;
    }
  }
  return own;
}

function refuseMissing(checks: readonly Check[], out: (text: string) => void): void {
  const missing = checks.filter((check) => check.required && !check.ok);
  if (missing.length === 0) return;
  out(`${showChecks(missing)}\n`);
  throw new AppError({
    code: 'missing-tool',
    message: 'Offdeck cannot start: something it needs is missing.',
    hint: 'Run the commands above, then start again.',
  });
}

/** Works without a host too: what is missing may be why there is none. */
async function doctor(json: boolean, { config, out }: CliDeps): Promise<number> {
  const report = await running(config)
    .then((paths) => askHost(paths.controlSocket, 'doctor'))
    .then(
      (reply) => reply.report,
      async (error: unknown) => ({
        checks: [...(await preflightHere(config)), hostDown(error)],
        vendors: [],
      }),
    );
  out(json ? `${JSON.stringify(report, null, 2)}\n` : showReport(report));
  return report.checks.some((check) => check.required && !check.ok) ? EXIT.notReady : EXIT.ok;
}

const hostDown = (error: unknown): Check => ({
  id: 'host',
  label: 'The host',
  ok: false,
  required: false,
  detail: error instanceof Error ? error.message : 'unknown',
  fix: (error instanceof AppError && error.hint) || null,
});

const STOP_MS = 15_000;

async function untilGone(socket: string): Promise<void> {
  const until = systemClock.mono() + STOP_MS;
  while (systemClock.mono() < until) {
    try {
      await askHost(socket, 'ping', 1_000);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not-found') return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new AppError({
    code: 'unavailable',
    message: 'Offdeck was told to stop and is still there.',
    hint: 'See its own output; as a last resort end its process.',
  });
}
