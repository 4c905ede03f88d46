import type { z } from 'zod';
import type { AnswerDetail } from '../../contract';
import type { VendorEvent } from '../port';
import { diffText } from './changes';
import { type Change, CommandAsk, FileAsk, PermissionAsk, QuestionAsk } from './protocol';

type Asked = Extract<VendorEvent, { type: 'asked' }>;

/** A request of the app-server as a need, and what to reply for each decision; null: only the terminal can answer. */
export interface Described {
  asked: Asked;
  reply: ((decision: 'allow' | 'deny', detail: AnswerDetail) => unknown) | null;
}

/**
 * Names one request for as long as it waits. The request's own id is a counter of the server's process; the item is
 * not enough, since one item may ask again after an answer.
 */
const refOf = (ask: {
  itemId: string;
  approvalId?: string | null | undefined;
  startedAtMs?: number | undefined;
}) =>
  [ask.itemId, ask.approvalId, ask.startedAtMs]
    .filter((part) => part !== undefined && part !== null)
    .join(':');

/**
 * Pure. Null for requests that are not for a person. `changesOf` knows the patch of an item: the request for it does
 * not carry it, and a patch that cannot be shown cannot be approved here.
 */
export function describeRequest(
  method: string,
  params: unknown,
  place: { cwd: string; changesOf(itemId: string): Change[] | null },
): Described | null {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return withParsed(CommandAsk, params, (ask) => command(ask, params, place.cwd));
    case 'item/fileChange/requestApproval':
      return withParsed(FileAsk, params, (ask) => {
        const changes = place.changesOf(ask.itemId);
        const rest = ask.grantRoot ? [`Also asks to write anywhere below ${ask.grantRoot}.`] : [];
        return described(ask, {
          kind: 'edit',
          tool: 'apply_patch',
          title: 'Wants to change files',
          body: [
            changes ? diffText(changes, place.cwd) : 'The patch is shown in the terminal.',
            ...rest,
          ].join('\n\n'),
          input: { ...(params as object), changes },
          reply: changes && ((decision) => ({ decision: decision === 'allow' ? 'accept' : 'decline' })),
        });
      });
    case 'item/permissions/requestApproval':
      return withParsed(PermissionAsk, params, (ask) => {
        const wanted = Object.fromEntries(
          Object.entries(ask.permissions).filter(([, value]) => value !== null),
        );
        return described(ask, {
          kind: 'tool',
          tool: 'request_permissions',
          title: 'Wants more permissions',
          body: `For the rest of this turn:\n${JSON.stringify(wanted, null, 2)}`,
          input: params,
          reply: (decision) => ({ permissions: decision === 'allow' ? wanted : {}, scope: 'turn' }),
        });
      });
    case 'item/tool/requestUserInput':
      return withParsed(QuestionAsk, params, (ask) =>
        described(ask, {
          kind: 'question',
          tool: 'request_user_input',
          title: ask.questions.length === 1 ? 'Asks a question' : `Asks ${ask.questions.length} questions`,
          body: ask.questions
            .map((q) => [q.question, ...(q.options ?? []).map((o) => `  · ${o.label}`)].join('\n'))
            .join('\n\n'),
          input: params,
          form: {
            type: 'questions',
            refusable: false,
            questions: ask.questions.map((q) => ({
              id: q.id,
              header: q.header ?? null,
              question: q.question,
              multi: false,
              free: q.isOther !== false || !q.options?.length,
              secret: q.isSecret === true,
              options: (q.options ?? []).map((o) => ({ label: o.label, description: o.description ?? null })),
            })),
          },
          reply: (_, detail) => ({
            answers: Object.fromEntries(
              ask.questions.map((q) => [q.id, { answers: detail.answers?.[q.id] ?? [] }]),
            ),
          }),
        }),
      );
    case 'mcpServer/elicitation/request': {
      const ask = (params ?? {}) as Record<string, unknown>;
      const text = (key: string) => (typeof ask[key] === 'string' ? (ask[key] as string) : '');
      return described(
        { itemId: `elicitation:${text('turnId')}:${text('serverName')}:${text('message') || text('title')}` },
        {
          kind: 'question',
          tool: text('serverName') || 'MCP',
          title: 'Asks through a tool server',
          body: text('message') || text('description') || 'The question is shown in the terminal.',
          input: params,
          reply: null,
        },
      );
    }
    default:
      return null;
  }
}

function command(ask: z.infer<typeof CommandAsk>, params: unknown, cwd: string): Described {
  const stdin = ask.kind !== undefined && ask.kind !== 'command';
  const network = ask.networkApprovalContext !== undefined && ask.networkApprovalContext !== null;
  // What we do not understand in full is left to the terminal, which shows it as its makers meant it.
  const known = !stdin && !network && !!ask.command && (ask.availableDecisions?.includes('accept') ?? true);
  const forSession = known && ask.availableDecisions?.includes('acceptForSession') === true;
  const extra = [
    ...(network ? [`Network: ${JSON.stringify(ask.networkApprovalContext)}`] : []),
    ...(ask.additionalPermissions
      ? [`With more permissions: ${JSON.stringify(ask.additionalPermissions)}`]
      : []),
  ];
  return described(ask, {
    kind: 'command',
    tool: 'Shell',
    title: stdin
      ? 'Wants to type into a running command'
      : network
        ? 'Wants to use the network'
        : 'Wants to run a command',
    body: [ask.command ? plainCommand(ask.command) : 'The command is shown in the terminal.', ...extra].join(
      '\n\n',
    ),
    ...(ask.cwd && ask.cwd !== cwd ? { cwd: ask.cwd } : {}),
    input: params,
    ...(forSession
      ? {
          form: {
            type: 'approval' as const,
            grants: [
              {
                id: 'session',
                rule: plainCommand(ask.command ?? ''),
                holds: 'for this very command, until this session ends',
              },
            ],
          },
        }
      : {}),
    reply: known
      ? (decision, detail) => ({
          decision:
            decision !== 'allow' ? 'decline' : detail.grant === 'session' ? 'acceptForSession' : 'accept',
        })
      : null,
  });
}

/**
 * Pure. The text inside `bash -lc '…'`, and only if it is one quoted word with nothing to decode: a command that was
 * decoded wrongly would be approved wrongly.
 */
export function plainCommand(command: string): string {
  return /^(?:\/\S+\/)?(?:ba|z)?sh -l?c '([^']*)'$/s.exec(command)?.[1] ?? command;
}

function described(
  ask: {
    itemId: string;
    approvalId?: string | null | undefined;
    startedAtMs?: number | undefined;
    reason?: string | null | undefined;
  },
  rest: Omit<Asked, 'type' | 'vendorRef' | 'why' | 'answerable'> & { reply: Described['reply'] },
): Described {
  const { reply, ...shown } = rest;
  return {
    asked: {
      type: 'asked',
      vendorRef: refOf(ask),
      ...shown,
      why: ask.reason ?? null,
      answerable: reply !== null,
    },
    reply,
  };
}

function withParsed<S extends z.ZodType>(
  schema: S,
  params: unknown,
  make: (ask: z.infer<S>) => Described,
): Described | null {
  const parsed = schema.safeParse(params);
  return parsed.success ? make(parsed.data) : null;
}
