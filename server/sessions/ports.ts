import type { AgentVendor, HookCall, PaneAccess, ServiceHost, VendorEnv, VendorEvent } from '../agents/port';
import type { LiveText, SessionId, WorkplaceChoice, Worktree } from '../contract';
import type { Clock, CrashPoint, Journal, Paths } from '../platform';

/** One row of what the private tmux server holds. */
export interface PaneFact {
  sid: string; // our session id, empty for windows that are not sessions
  pane: string;
  dead: boolean;
  exitCode: number | null;
}

/** What sessions need of the terminal multiplexer. */
export interface PaneHost {
  ensureServer(): Promise<void>;
  /** Idempotent by id: a living pane of this id is returned, never doubled. */
  open(spec: { id: string; launchFile: string; cols: number; rows: number }): Promise<{ pane: string }>;
  writeLaunch(
    file: string,
    spec: { argv: string[]; env: Record<string, string>; unset?: string[]; cwd: string },
  ): void;
  /** Null when the server is gone. */
  list(): Promise<PaneFact[] | null>;
  /** With `sid` only if the pane is still that session's: a new server counts its panes from %0 again. */
  close(pane: string, sid?: string): Promise<void>;
  access(pane: string, sid?: string): PaneAccess;
}

/** Sockets on which a session's hooks speak; possession of the capability is the right to this session only. */
export interface HookHost {
  open(
    sessionId: SessionId,
    capability: string,
    handler: (call: HookCall) => Promise<unknown>,
  ): Promise<{ socket: string }>;
  close(sessionId: SessionId): Promise<void>;
  closeAll(): Promise<void>;
}

export interface SessionDeps {
  vendors: readonly AgentVendor[];
  vendorEnv: VendorEnv;
  panes: PaneHost;
  hooks: HookHost;
  services: ServiceHost;
  paths: Paths;
  clock: Clock;
  journal: Journal;
  crash: CrashPoint;
  shell: string;
  hookCommand(dir: string, event: string): string;
  prepare(projectId: string, choice: WorkplaceChoice): Promise<Worktree>;
  trustedRoot(projectId: string): string | null;
  /** Requests and their endings go to the needs workflow. */
  onNeed(sessionId: SessionId, event: Extract<VendorEvent, { type: 'asked' | 'settled' }>): void;
  /** What an agent says right now; null when it stopped. */
  onLive(sessionId: SessionId, live: LiveText | null): void;
  /** The list of live panes changed. */
  onPanes(panes: Map<string, string>): void;
}
