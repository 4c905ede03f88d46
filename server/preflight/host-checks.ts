import { statSync } from 'node:fs';
import type { Check } from '../contract';
import type { Paths } from '../platform';

export interface HostFacts {
  addresses: readonly string[]; // what the listener is bound to, as "127.0.0.1:7433"
  note: string | null; // what the listener had to say about that
  paths: Pick<Paths, 'home' | 'runtime' | 'db' | 'controlSocket' | 'tmuxSocket'>;
  sqlite: { version: string; journal: string };
  tmux: { program: string; alive: boolean; version: string | null };
}

/** The mode of a path as "700", or null when it is not there. */
const modeOf = (path: string): string | null => {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? (stat.mode & 0o777).toString(8) : null;
};

/** What `doctor` says about the host that runs: facts to read, and what is wrong with them. Holds no secret. */
export function hostChecks({ addresses, note, paths, sqlite, tmux }: HostFacts): Check[] {
  const check = (id: string, label: string, ok: boolean, detail: string, fix: string | null): Check => ({
    id,
    label,
    ok,
    required: true,
    detail,
    fix: ok ? null : fix,
  });
  const loopback = addresses.every((address) => /^(127\.0\.0\.1|\[::1\]):/.test(address));
  const open = (['home', 'runtime', 'db', 'controlSocket'] as const)
    .map((name) => ({ path: paths[name], mode: modeOf(paths[name]) }))
    .filter(({ mode }) => mode === null || !/^[0-7]00$/.test(mode));
  return [
    check(
      'bind',
      'Reachable from this machine only',
      loopback && addresses.length > 0,
      [addresses.join(', '), note].filter(Boolean).join('; '),
      'Stop this host; something else has changed how it listens.',
    ),
    check(
      'modes',
      'State folder closed to other users',
      open.length === 0,
      open.length === 0
        ? paths.home
        : open.map(({ path, mode }) => `${path} is ${mode ?? 'not there'}`).join(', '),
      `chmod -R go-rwx ${paths.home}`,
    ),
    check(
      'sqlite',
      'Database',
      sqlite.journal === 'wal',
      `SQLite ${sqlite.version}, ${sqlite.journal}, ${paths.db}`,
      'Start the host again.',
    ),
    check(
      'tmux-server',
      'Terminal server',
      tmux.alive,
      tmux.alive
        ? `tmux ${tmux.version ?? ''}; reach it by hand: ${tmux.program} -S ${paths.tmuxSocket} attach`
        : `nothing answers on ${paths.tmuxSocket}`,
      'Start any session: the server starts with it.',
    ),
  ];
}
