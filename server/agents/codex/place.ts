import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../contract';
import { findProgram, sha256, systemClock } from '../../platform';
import type { ServiceHost, VendorEnv } from '../port';
import { AppServer } from './app-server';

/** Where the app-server of a config home is. One per home: threads of one home share it, logins never do. */
export interface Place {
  service: string;
  socket: string;
}

type Context = VendorEnv & { service: ServiceHost };

/** Pure. */
export function placeOf(context: Context): Place {
  const home = context.env.CODEX_HOME || join(context.userHome, '.codex');
  const hash = sha256(home).slice(0, 12);
  return { service: `codex-${hash}`, socket: join(context.service.runtimeDir, `cx-${hash}.sock`) };
}

/** Throws AppError when the CLI is not on the path. */
export function codexProgram(context: VendorEnv): string {
  const program = findProgram('codex', context.path);
  if (program) return program;
  throw new AppError({
    code: 'missing-tool',
    message: 'Codex was not found on this machine.',
    hint: 'npm install -g @openai/codex',
  });
}

/** Starts the app-server unless it runs. It lives outside the host, and so do its threads. */
export async function ensureServer(context: Context): Promise<Place> {
  const place = placeOf(context);
  // Many sessions share the server, so nothing of one session may be in its environment.
  const env = Object.fromEntries(
    Object.entries(context.env).filter(([name]) => !name.startsWith('OFFDECK_')),
  );
  await context.service.ensure(place.service, {
    argv: [codexProgram(context), 'app-server', '--listen', `unix://${place.socket}`],
    env,
    cwd: context.userHome,
  });
  return place;
}

/** Starts the server if needed and connects to it. Throws AppError when it does not answer in `deadlineMs`. */
export async function connect(context: Context, deadlineMs: number): Promise<AppServer> {
  const place = await ensureServer(context);
  const end = systemClock.mono() + deadlineMs;
  let last: unknown;
  do {
    try {
      return await AppServer.open(place.socket);
    } catch (cause) {
      last = cause;
      await pause(100);
    }
  } while (systemClock.mono() < end);
  throw new AppError({
    code: 'unavailable',
    message: 'The app-server of Codex was started but does not answer.',
    hint: 'Run `codex app-server` in a terminal to see what is wrong.',
    cause: last,
  });
}
