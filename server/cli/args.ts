import { parseArgs } from 'node:util';
import { AppError } from '../contract';

export type Command =
  | { name: 'start'; open: boolean; demo: boolean }
  | { name: 'open'; print: boolean }
  | { name: 'status'; json: boolean }
  | { name: 'doctor'; json: boolean }
  | { name: 'stop' }
  | { name: 'help' }
  | { name: 'version' };

export const HELP = `Offdeck: a command centre for coding agents on your own machine.

Usage: offdeck <command>

  start [--no-open] [--demo]   start the host here; --demo uses a throw-away repository and scripted agents
  open [--print]               open a browser signed in to the running host; --print only prints the link
  status [--json]              what runs
  doctor [--json]              what is missing or wrong on this machine
  stop                         stop the host; the agents keep running

  --help, --version

Without a host of your own the commands speak to a demo that runs.

Environment: OFFDECK_HOME (state folder), OFFDECK_PORT (default 7433).
`;

/** Pure: argv to a command. Throws AppError `bad-input` with what was not understood. */
export function parseCommand(argv: readonly string[]): Command {
  const wrong = (message: string) =>
    new AppError({ code: 'bad-input', message, hint: 'See: offdeck --help' });
  let parsed: ReturnType<typeof read>;
  try {
    parsed = read(argv);
  } catch (error) {
    // Node's sentence names the option, then advises about quoting; the first sentence is enough.
    throw wrong(`${(error as Error).message.split('. ')[0]?.replace(/\.$/, '')}.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return { name: 'help' };
  if (values.version) return { name: 'version' };
  const [name, ...rest] = positionals;
  if (name === undefined) return { name: 'help' };
  if (rest.length > 0) throw wrong(`"${rest.join(' ')}" is one word too many.`);
  const allowed = OPTIONS_OF[name];
  if (!allowed) throw wrong(`There is no command "${name}".`);
  for (const option of Object.keys(values)) {
    if (!allowed.includes(option)) throw wrong(`"${name}" has no option --${option}.`);
  }
  switch (name) {
    case 'start':
      return { name, open: !values['no-open'], demo: values.demo ?? false };
    case 'open':
      return { name, print: values.print ?? false };
    case 'status':
    case 'doctor':
      return { name, json: values.json ?? false };
    case 'stop':
      return { name };
    case 'version':
      return { name: 'version' };
    default:
      return { name: 'help' };
  }
}

const OPTIONS_OF: Record<string, readonly string[] | undefined> = {
  __proto__: null as never,
  start: ['no-open', 'demo'],
  open: ['print'],
  status: ['json'],
  doctor: ['json'],
  stop: [],
  help: [],
  version: [],
};

const read = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      'no-open': { type: 'boolean' },
      demo: { type: 'boolean' },
      print: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
