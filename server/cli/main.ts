import { existsSync } from 'node:fs';
import { AppError, ErrorShape } from '../contract';
import { readConfig, redact } from '../platform';
import { parseCommand } from './args';
import { EXIT, exitCodeOf, perform } from './commands';
import { showError } from './show';

/*
 * The `offdeck` command. Everything but `start` speaks to the running host over its control socket. There is no
 * command that types into, answers for or changes a session.
 */

/** Loaded only when asked for, so that `status` need not evaluate the host. */
async function startHost(options: { demo: boolean; open: boolean }): Promise<unknown> {
  const built = new URL('./main.mjs', import.meta.url);
  const where = existsSync(built) ? built : new URL('../main.ts', import.meta.url);
  const host = (await import(where.href)) as { startHost(given: typeof options): Promise<unknown> };
  return host.startHost(options);
}

/** By shape, not by class: the host is another bundle with an AppError of its own. */
function shapeOf(error: unknown): ErrorShape {
  if (error instanceof AppError) return error.toShape();
  const shape = ErrorShape.safeParse(
    error instanceof Error ? { ...error, message: error.message } : undefined,
  );
  if (shape.success) return shape.data;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal', message: redact(text), hint: 'This is a bug in Offdeck; please report it.' };
}

process.stdout.on('error', () => process.exit(EXIT.failed)); // `offdeck status | head`

try {
  const code = await perform(parseCommand(process.argv.slice(2)), {
    config: readConfig(),
    out: (text) => process.stdout.write(text),
    startHost,
  });
  if (code !== null) process.exitCode = code;
} catch (error) {
  const shape = shapeOf(error);
  process.stderr.write(showError(shape));
  // `start` may have left sockets or timers behind that would keep a failed process alive.
  process.exit(exitCodeOf(shape));
}
