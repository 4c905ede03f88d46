import { AppError } from '../../contract';
import { writePrivate } from '../../platform';
import type { LaunchInput, LaunchPlan } from '../port';
import { type AppServer, refused } from './app-server';
import { manifest, PROFILES } from './manifest';
import { codexProgram, connect, placeOf } from './place';
import { ModelsReply, StartReply } from './protocol';

/** What a thread must be told each time it is loaded; kept in the session's folder for the next host. */
export const CONFIG_FILE = 'codex.json';

/** How long a connection is held for the run that will take the thread over. */
const HOLD_MS = 120_000;
const START_MS = 20_000;

/**
 * Connections that started a thread, until its run has subscribed: a thread without any client is unloaded, and the
 * next one to load it would do so without our configuration. One entry per thread.
 */
export class Held {
  #held = new Map<string, { server: AppServer; timer: NodeJS.Timeout }>();

  hold(threadId: string, server: AppServer): void {
    this.release(threadId);
    const timer = setTimeout(() => this.release(threadId), HOLD_MS);
    timer.unref();
    this.#held.set(threadId, { server, timer });
  }

  release(threadId: string): void {
    const entry = this.#held.get(threadId);
    if (!entry) return;
    this.#held.delete(threadId);
    clearTimeout(entry.timer);
    entry.server.close();
  }
}

/** Pure. Settings of one thread that are nobody else's. */
export function threadConfig(input: Pick<LaunchInput, 'env' | 'trustedRoot'>): Record<string, unknown> {
  const own = Object.entries(input.env).filter(([name]) => name.startsWith('OFFDECK_'));
  return {
    // The server is shared, so what a session knows about itself reaches its shell this way and not by environment.
    'shell_environment_policy.set': Object.fromEntries(own),
    // Given for this thread only: what the person trusted in Offdeck is not written into Codex's own settings.
    ...(input.trustedRoot === null ? {} : { projects: { [input.trustedRoot]: { trust_level: 'trusted' } } }),
  };
}

/** Makes or loads the thread on the app-server and says how the terminal joins it. Throws AppError. */
export async function launch(input: LaunchInput, held: Held): Promise<LaunchPlan> {
  const program = codexProgram(input);
  const profile = PROFILES[input.permission];
  if (!profile) {
    throw new AppError({
      code: 'bad-input',
      message: `${manifest.label} has no permission called "${input.permission}".`,
    });
  }
  const config = threadConfig(input);
  writePrivate(`${input.dir}/${CONFIG_FILE}`, JSON.stringify({ config }));
  const server = await connect(input, START_MS);
  try {
    const started = StartReply.parse(
      input.resume === null
        ? await server.call('thread/start', {
            cwd: input.cwd,
            // Any wider sandbox at this point makes Codex write the folder into its trusted projects.
            sandbox: 'read-only',
            approvalPolicy: 'on-request',
            approvalsReviewer: 'user',
            config,
          })
        : await server.call('thread/resume', { threadId: input.resume, excludeTurns: true, config }),
    );
    const threadId = started.thread.id;
    // Naming it writes it to disk: before that no other client can find it. It also saves the request for a title.
    if (input.resume === null)
      await server.call('thread/name/set', { threadId, name: input.name || 'Offdeck' });
    await server.call('thread/settings/update', {
      threadId,
      ...profile,
      ...(input.mode === 'planner'
        ? {
            collaborationMode: {
              mode: 'plan',
              settings: { model: started.model, reasoning_effort: null, developer_instructions: null },
            },
          }
        : {}),
    });
    const migration = await migrationOf(server, started.model);
    held.hold(threadId, server);
    return {
      argv: [
        program,
        'resume',
        threadId,
        '--remote',
        `unix://${placeOf(input).socket}`,
        // Screens that take over the keyboard on their own; each is shut off for this terminal only.
        ...['-c', 'notice.hide_rate_limit_model_nudge=true'],
        ...['-c', 'check_for_update_on_startup=false'],
        ...(migration ? ['-c', `notice.model_migrations=${migration}`] : []),
      ],
      env: {},
      vendorSession: threadId,
      promptIncluded: false,
    };
  } catch (cause) {
    server.close();
    throw refused(
      input.resume === null ? 'Codex did not start a conversation' : 'Codex did not load the conversation',
      cause,
    );
  }
}

/**
 * "Try our new model" stands before the terminal and takes the first key for its answer. Codex skips it when the
 * same offer was seen before, so we say that it was. Null when there is no such offer, or no telling.
 */
async function migrationOf(server: AppServer, model: string): Promise<string | null> {
  try {
    const models = ModelsReply.parse(await server.call('model/list', { includeHidden: true }, 3_000));
    const next = models.data.find((entry) => entry.model === model)?.upgradeInfo?.model;
    return next ? `{${JSON.stringify(model)}=${JSON.stringify(next)}}` : null;
  } catch {
    return null; // Then the screen is shown, and the person answers it in the terminal.
  }
}
