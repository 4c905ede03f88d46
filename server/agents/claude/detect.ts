import { z } from 'zod';
import type { Detection } from '../../contract';
import { findProgram, readIfThere, run } from '../../platform';
import type { Found, VendorEnv } from '../port';
import { manifest } from './manifest';

/** `claude auth status` prints this without secrets (2.1.197). */
const AuthStatus = z.object({ loggedIn: z.boolean() });

/** The binary is over 200 MB: its first start from a cold disk takes many seconds. */
const START_MS = 30_000;

export function find(env: VendorEnv): Found {
  const path = findProgram('claude', env.path);
  // The binary is built for AVX2 and ends with an illegal instruction without it.
  const cpu = path && process.arch === 'x64' ? readIfThere('/proc/cpuinfo') : null;
  if (cpu !== null && !/\bavx2\b/.test(cpu)) {
    return { path: null, problem: 'Claude Code needs a processor with AVX2.' };
  }
  return { path, problem: null };
}

export async function detect(env: VendorEnv): Promise<Detection> {
  const { path, problem } = find(env);
  const unknown: Detection = { vendor: manifest.id, path, version: null, signedIn: 'unknown', problem };
  if (!path) return unknown;
  const ask = (...args: string[]) => run(path, args, { env: env.env, timeoutMs: START_MS }).catch(() => null);
  const [version, auth] = await Promise.all([ask('--version'), ask('auth', 'status')]);
  if (version?.code !== 0) {
    return {
      ...unknown,
      path: null,
      problem: 'claude was found but does not start; run "claude --version" in a terminal.',
    };
  }
  let signedIn: Detection['signedIn'] = 'unknown';
  try {
    signedIn = AuthStatus.parse(JSON.parse(auth?.stdout.toString('utf8') ?? '')).loggedIn ? 'yes' : 'no';
  } catch {
    // An older version without this command: its word is simply not known.
  }
  return { ...unknown, version: /\d[\w.]*/.exec(version.stdout.toString('utf8'))?.[0] ?? null, signedIn };
}
