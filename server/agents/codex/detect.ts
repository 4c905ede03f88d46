import { join } from 'node:path';
import type { Detection } from '../../contract';
import { findProgram, readIfThere, run } from '../../platform';
import type { Found, VendorEnv } from '../port';
import { manifest } from './manifest';

export function find(context: VendorEnv): Found {
  return { path: findProgram('codex', context.path), problem: null };
}

/** Looks for the CLI and asks it for its version and login. Never throws; never opens a credential file. */
export async function detect(context: VendorEnv): Promise<Detection> {
  const { path, problem } = find(context);
  const found: Detection = { vendor: manifest.id, path, version: null, signedIn: 'unknown', problem };
  if (!path) return found;
  const ask = (...args: string[]) =>
    run(path, args, { env: context.env, timeoutMs: 30_000 }).catch((cause: Error) => cause);
  const [version, login] = await Promise.all([ask('--version'), ask('login', 'status')]);
  if (version instanceof Error || version.code !== 0) {
    return { ...found, problem: 'Codex was found but does not start: run `codex --version` to see why.' };
  }
  found.version = /\d+\.\d+\.\d+\S*/.exec(version.stdout.toString('utf8'))?.[0] ?? null;
  if (!(login instanceof Error)) {
    if (login.code === 0) found.signedIn = 'yes';
    else if (/not logged in/i.test(login.stdout + login.stderr)) {
      found.signedIn = ownProvider(context) ? 'unknown' : 'no';
    }
  }
  return found;
}

/** "Not logged in" is about OpenAI's own login, which somebody with a provider or a key of their own does not need. */
function ownProvider({ env, userHome }: VendorEnv): boolean {
  if (env.OPENAI_API_KEY || env.CODEX_API_KEY || env.CODEX_ACCESS_TOKEN) return true;
  try {
    const config = readIfThere(join(env.CODEX_HOME || join(userHome, '.codex'), 'config.toml'));
    return config !== null && /^\s*model_provider\s*=/m.test(config);
  } catch {
    return false; // Unreadable: then the CLI's own word stands.
  }
}
