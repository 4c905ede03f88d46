import { mkdirSync } from 'node:fs';
import type { AgentVendor } from '../agents/port';
import { AppError, type Session } from '../contract';
import { newSecret, readIfThere, writePrivate } from '../platform';
import type { LiveSession } from './live';
import type { SessionDeps } from './ports';

export interface LaunchOrder {
  sessionId: string;
  cols: number;
  rows: number;
  resume: string | null;
}

/**
 * Opens the session's own socket for hooks, with a fresh capability in a 0600 file: the environment of an agent ends
 * up in transcripts, so it holds the folder's path and never the secret.
 */
export async function openHooks(
  deps: SessionDeps,
  session: Session,
  live: LiveSession,
  fresh: boolean,
): Promise<void> {
  const where = deps.paths.session(session.id);
  mkdirSync(where.dir, { recursive: true, mode: 0o700 });
  const kept = fresh ? null : readIfThere(where.capability);
  const capability = kept ?? newSecret('odc');
  if (kept === null) writePrivate(where.capability, capability);
  const { socket } = await deps.hooks.open(session.id, capability, async (call) => {
    if (!live.run) await live.attached;
    return live.run ? live.run.hook(call) : null;
  });
  writePrivate(`${where.dir}/hook.json`, JSON.stringify({ socket, capability }));
}

/** Environment every session gets (see README, "What a session knows"). */
const sessionVariables = (session: Session, dir: string): Record<string, string> => ({
  OFFDECK_SESSION_ID: session.id,
  OFFDECK_WORKSPACE_ID: session.cwd,
  OFFDECK_TOOL: session.vendor,
  OFFDECK_SESSION_KIND: session.kind,
  OFFDECK_SESSION_DIR: dir,
});

export interface Launched {
  pane: string;
  vendorSession: string | null;
  promptIncluded: boolean;
}

/** Starts the CLI (or the user's shell) in a pane of its own. Throws AppError; leaves no pane behind when it does. */
export async function launchSession(
  deps: SessionDeps,
  session: Session,
  vendor: AgentVendor | null,
  order: LaunchOrder,
): Promise<Launched> {
  const where = deps.paths.session(session.id);
  const variables = sessionVariables(session, where.dir);
  const env = { ...deps.vendorEnv.env, ...variables };
  const resuming = order.resume !== null;
  const plan = vendor
    ? await vendor.launch({
        ...deps.vendorEnv,
        env,
        sessionId: session.id,
        dir: where.dir,
        cwd: session.cwd,
        mode: session.mode,
        permission: session.permission,
        prompt: resuming ? '' : session.prompt,
        name: session.name,
        resume: order.resume,
        hookCommand: (event) => deps.hookCommand(where.dir, event),
        service: deps.services,
        trustedRoot: session.projectId ? deps.trustedRoot(session.projectId) : null,
      })
    : { argv: [deps.shell], env: {}, vendorSession: null, promptIncluded: true };
  deps.panes.writeLaunch(where.launch, {
    argv: plan.argv,
    env: { ...env, ...plan.env },
    unset: 'unset' in plan ? (plan.unset ?? []) : [],
    cwd: session.cwd,
  });
  await deps.panes.ensureServer();
  const { pane } = await deps.panes.open({
    id: session.id,
    launchFile: where.launch,
    cols: order.cols,
    rows: order.rows,
  });
  return { pane, vendorSession: plan.vendorSession, promptIncluded: plan.promptIncluded };
}

export const cliMissing = (vendor: AgentVendor, problem: string | null): AppError =>
  new AppError({
    code: 'missing-tool',
    message: problem ?? `${vendor.manifest.label} was not found on this machine.`,
    hint: `Install it with: ${vendor.manifest.install}`,
  });
