import { isAbsolute } from 'node:path';
import { AppError } from '../contract';
import { writePrivate } from '../platform';

/** Text, or exact bytes where a name is no valid UTF-8. */
export type Bytes = string | Uint8Array;

export interface LaunchSpec {
  argv: readonly Bytes[]; // absolute program first
  env: Readonly<Record<string, Bytes>>; // the whole environment: nothing is inherited
  unset?: readonly string[]; // names taken out of `env`
  cwd: Bytes;
}

/** The program of every window; the launch file is its only argument. */
export const LAUNCHER = ['/usr/bin/env', '-i', '/bin/sh'] as const;

/**
 * Names that do not reach the program. TMUX and TMUX_PANE: an agent must not find our server, nor wrap its escapes for
 * it. The rest either describe another terminal or belong to the shell: assigning to some of them ends bash.
 */
const NEVER = new Set([
  ...['TMUX', 'TMUX_PANE', 'TERMCAP', 'COLUMNS', 'LINES', 'WINDOWID', 'STY'],
  ...[
    'PWD',
    'OLDPWD',
    'SHLVL',
    '_',
    'UID',
    'EUID',
    'PPID',
    'OPTIND',
    'SHELLOPTS',
    'BASHOPTS',
    'BASH_VERSINFO',
  ],
]);
const TERMINAL = { TERM: 'tmux-256color', COLORTERM: 'truecolor' };
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const bad = (message: string): AppError => new AppError({ code: 'bad-input', message });
const bytesOf = (value: Bytes): Buffer =>
  typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value);

/** `'text'` for a POSIX shell: between single quotes every byte but the quote itself is literal. */
function quoted(value: Bytes, what: string): Buffer {
  const bytes = bytesOf(value);
  if (bytes.includes(0)) throw bad(`${what} contains a NUL byte.`);
  // latin1 maps every byte to one character and back, so bytes that are no UTF-8 survive the replacement.
  return Buffer.from(`'${bytes.toString('latin1').replaceAll("'", "'\\''")}'`, 'latin1');
}

/**
 * The launch file: a shell script that enters the folder, exports the environment and becomes the program.
 *
 * A script run by `env -i /bin/sh` and not a Node launcher, because Node cannot replace itself and each would stay
 * resident with 40 MB. Values are `export` lines in a 0600 file and not arguments of `env`, because every user of the
 * machine can read arguments (S-22). No value of the user's is in a tmux command, where `#(…)` would run (S-38).
 *
 * Pure. Throws AppError for what cannot be passed exactly; names that no shell can export are left out.
 */
export function launchScript(spec: LaunchSpec): Buffer {
  const [program] = spec.argv;
  if (program === undefined || !isAbsolute(bytesOf(program).toString('latin1'))) {
    throw bad('The program to start is not an absolute path.');
  }
  if (!isAbsolute(bytesOf(spec.cwd).toString('latin1'))) throw bad('The folder is not an absolute path.');
  const parts: (string | Buffer)[] = [
    '# One start of one program, written by Offdeck.\n',
    'cd -- ',
    quoted(spec.cwd, 'The folder'),
    " || { echo 'offdeck: this folder cannot be entered.' >&2; exit 126; }\n",
    'unset OLDPWD SHLVL\n',
  ];
  const unset = new Set(spec.unset);
  for (const [name, value] of Object.entries({ ...spec.env, ...TERMINAL })) {
    if (NEVER.has(name) || unset.has(name) || !NAME.test(name)) continue;
    parts.push(`export ${name}=`, quoted(value, `The variable ${name}`), '\n');
  }
  parts.push('exec');
  for (const argument of spec.argv) parts.push(' ', quoted(argument, 'An argument'));
  parts.push('\n');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** Writes the launch file, 0600. Throws AppError when something in `spec` cannot be passed to a program. */
export function writeLaunchFile(file: string, spec: LaunchSpec): void {
  writePrivate(file, launchScript(spec));
}
