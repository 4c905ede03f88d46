import { z } from 'zod';

export const Scope = z.enum(['view', 'answer', 'type', 'files', 'git', 'browser', 'admin']);
export type Scope = z.infer<typeof Scope>;
export const ALL_SCOPES: readonly Scope[] = Scope.options;

/**
 * The one table of who may do what: every procedure of the API and every socket, with the scope it asks for.
 * A procedure missing here cannot be served (the router test fails), so nothing is reachable by omission.
 */
export const PROCEDURE_SCOPES = {
  'board.feed': 'view',
  'board.snapshot': 'view',
  'chat.page': 'view',
  'chat.follow': 'view',
  'chat.image': 'view',
  'host.info': 'view',
  'host.checks': 'view',
  'sessions.start': 'type',
  'sessions.commands': 'view',
  'sessions.files': 'files',
  'sessions.resume': 'type',
  'sessions.rename': 'type',
  'sessions.seen': 'view',
  'sessions.archive': 'type',
  'sessions.interrupt': 'type',
  'sessions.end': 'type',
  'messages.send': 'type',
  'messages.edit': 'type',
  'messages.remove': 'type',
  'messages.retry': 'type',
  'messages.draft': 'view',
  'messages.earlier': 'view',
  'messages.keepDraft': 'type',
  'messages.putImage': 'type',
  'messages.image': 'view',
  'needs.answer': 'answer',
  'needs.history': 'view',
  'projects.browse': 'files',
  'projects.add': 'files',
  'projects.trust': 'git',
  'projects.branches': 'git',
  'projects.worktrees': 'git',
  'devices.list': 'admin',
  'devices.revoke': 'admin',
} as const satisfies Record<string, Scope>;
export type ProcedureName = keyof typeof PROCEDURE_SCOPES;

/** Terminal socket: watching needs `view`, keys and sizes need `type`. */
export const TERMINAL_SCOPES = { watch: 'view', type: 'type' } as const satisfies Record<string, Scope>;
