import { AppError } from '../contract';
import { run } from '../platform';

export interface TmuxReply {
  ok: boolean;
  /** True when no server answers on our socket: none was started, it ended, or it died during the call. */
  gone: boolean;
  out: string;
  error: string;
}
export type TmuxCommand = (args: readonly string[], input?: string) => Promise<TmuxReply>;

const GONE = /no server running|error connecting to|server exited|lost server/;
/** Variables that would lead to another tmux, or that are ours or Node's and would stay in the server for ever. */
const DROP = /^(TMUX|NODE_|OFFDECK_|npm_)/;

/**
 * Calls of tmux on our socket only. `args` hold generated text: a trailing `;` is escaped, since tmux would take the
 * rest for another command; a lone `;` is the separator. Runs in `/`, because tmux hands a caller's folder to windows
 * and expands it. Resolves for every outcome but a tmux that cannot be started or does not answer.
 */
export function tmuxCommand(tmux: string, socket: string, toolEnv: Record<string, string>): TmuxCommand {
  const env = Object.fromEntries(Object.entries(toolEnv).filter(([name]) => !DROP.test(name)));
  return async (args, input) => {
    const safe = args.map((arg) => (arg.length > 1 && arg.endsWith(';') ? `${arg.slice(0, -1)}\\;` : arg));
    // -u: without it tmux replaces the tabs that separate our fields.
    const result = await run(tmux, ['-u', '-S', socket, ...safe], {
      env,
      cwd: '/',
      timeoutMs: 10_000,
      ...(input === undefined ? {} : { input }),
    }).catch((cause) => {
      throw new AppError({
        code: 'missing-tool',
        message: `tmux could not be started: ${(cause as Error).message}`,
        hint: 'Install tmux 3.2 or later.',
        cause,
      });
    });
    if (result.timedOut) {
      throw new AppError({
        code: 'unavailable',
        message: 'The private tmux server does not answer.',
        hint: 'Sessions go on in it. Try again; if it stays so, restart the host.',
      });
    }
    const ok = result.code === 0;
    const error = result.stderr.trim();
    return { ok, gone: !ok && GONE.test(error), out: result.stdout.toString('utf8'), error };
  };
}

/** The error for a call that should have worked. */
export const tmuxFailed = (what: string, reply: TmuxReply): AppError =>
  new AppError({
    code: 'unavailable',
    message: `${what}: ${reply.gone ? 'the private tmux server is not running' : reply.error || 'tmux failed'}.`,
    hint: reply.gone
      ? 'Resume the session to start the server again.'
      : 'If tmux was upgraded while sessions run, end them and restart the host.',
  });
