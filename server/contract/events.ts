import { z } from 'zod';
import { DeviceId, MessageId, NeedId, ProjectId, SessionId } from './ids';
import { Message, MessageState } from './message';
import { Decision, Need, NeedState } from './need';
import { Project, Worktree } from './project';
import { Session } from './session';
import { Evidence, SessionState } from './state';

/**
 * The facts of the log. Past tense, self-contained: a projection can be rebuilt from these alone.
 * Append-only as a format too: fields are added, never renamed.
 */
export const DomainEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('project.added'), project: Project }),
  z.object({ type: z.literal('project.trusted'), projectId: ProjectId, fingerprint: z.string() }),
  z.object({ type: z.literal('project.branch-seen'), projectId: ProjectId, branch: z.string().nullable() }),
  z.object({ type: z.literal('worktree.added'), worktree: Worktree }),
  z.object({ type: z.literal('session.started'), session: Session }),
  z.object({ type: z.literal('session.pane-opened'), sessionId: SessionId, pane: z.string() }),
  z.object({ type: z.literal('session.renamed'), sessionId: SessionId, name: z.string() }),
  z.object({ type: z.literal('session.seen'), sessionId: SessionId }),
  z.object({ type: z.literal('session.archived'), sessionId: SessionId, archived: z.boolean() }),
  z.object({
    type: z.literal('session.state-changed'),
    sessionId: SessionId,
    state: SessionState,
    since: z.number(),
    reason: z.string().nullable(),
    resetsAt: z.number().nullable(),
    evidence: z.array(Evidence),
  }),
  z.object({
    type: z.literal('session.noted'),
    sessionId: SessionId,
    note: Session.pick({
      contextPct: true,
      model: true,
      recap: true,
      quota: true,
      vendorSession: true,
      activity: true,
      promptKept: true,
    }).partial(),
  }),
  z.object({
    type: z.literal('session.ended'),
    sessionId: SessionId,
    exitCode: z.number().nullable(),
    reason: z.string(),
    resumable: z.boolean(),
    paneKept: z.boolean(), // the dead pane stays, so its last screen can be read
  }),
  z.object({ type: z.literal('session.resumed'), sessionId: SessionId }),
  z.object({ type: z.literal('message.kept'), message: Message }),
  z.object({
    type: z.literal('message.edited'),
    messageId: MessageId,
    text: z.string(),
    place: z.number(),
  }),
  z.object({
    type: z.literal('message.moved'),
    messageId: MessageId,
    state: MessageState,
    note: z.string().nullable(),
  }),
  z.object({ type: z.literal('need.asked'), need: Need }),
  z.object({
    type: z.literal('need.answered'),
    needId: NeedId,
    decision: Decision,
    detail: z.string().optional(),
    deviceId: DeviceId,
    deviceLabel: z.string(),
    signature: z.string(),
  }),
  z.object({
    type: z.literal('need.moved'),
    needId: NeedId,
    state: NeedState,
    note: z.string().nullable(),
  }),
]);
export type DomainEvent = z.infer<typeof DomainEvent>;

/** An event as stored: its place in the log and when it was appended. */
export interface LoggedEvent {
  seq: number;
  at: number;
  event: DomainEvent;
}

/** The id of the thing an event is about: the log's stream key. */
export function streamOf(event: DomainEvent): string {
  switch (event.type) {
    case 'project.added':
      return event.project.id;
    case 'project.trusted':
    case 'project.branch-seen':
      return event.projectId;
    case 'worktree.added':
      return event.worktree.id;
    case 'session.started':
      return event.session.id;
    case 'message.kept':
      return event.message.id;
    case 'message.edited':
    case 'message.moved':
      return event.messageId;
    case 'need.asked':
      return event.need.id;
    case 'need.answered':
    case 'need.moved':
      return event.needId;
    default:
      return event.sessionId;
  }
}
