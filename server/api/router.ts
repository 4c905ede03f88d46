import { initTRPC, TRPCError, tracked } from '@trpc/server';
import { z } from 'zod';
import {
  AppError,
  DeviceId,
  Draft,
  type ErrorCode,
  type ErrorShape,
  ImageChunk,
  ImageName,
  MAX_MESSAGE,
  MessageId,
  PROCEDURE_SCOPES,
  type ProcedureName,
  ProjectId,
  SendMessage,
  SessionId,
  SignedAnswer,
  StartSession,
} from '../contract';
import type { Caller, Services } from './services';

export interface ApiContext {
  services: Services;
  caller: Caller;
}

const TRPC_CODE: Record<ErrorCode, TRPCError['code']> = {
  'bad-input': 'BAD_REQUEST',
  'not-found': 'NOT_FOUND',
  'not-allowed': 'FORBIDDEN',
  'signed-out': 'UNAUTHORIZED',
  conflict: 'CONFLICT',
  'missing-tool': 'PRECONDITION_FAILED',
  untrusted: 'PRECONDITION_FAILED',
  unavailable: 'SERVICE_UNAVAILABLE',
  internal: 'INTERNAL_SERVER_ERROR',
};

const shapeOf = (error: TRPCError): ErrorShape => {
  if (error.cause instanceof AppError) return error.cause.toShape();
  if (error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR') {
    const field = error.cause instanceof z.ZodError ? error.cause.issues[0]?.path.join('.') : '';
    const where = field ? ` (${field})` : '';
    return { code: 'bad-input', message: `The request was not understood${where}.` };
  }
  if (error.code === 'NOT_FOUND')
    return { code: 'not-found', message: 'This host does not know that request.' };
  // An unexpected fault is named only in the host's log: its text may hold paths or worse.
  return {
    code: 'internal',
    message: 'Something went wrong on the host.',
    hint: 'The host log has the details.',
  };
};

const t = initTRPC.context<ApiContext>().create({
  errorFormatter: ({ shape, error }) => {
    const app = shapeOf(error);
    return {
      ...shape,
      message: app.message,
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, app },
    };
  },
});

/** Refuses before any input is looked at unless the table grants the device this very procedure (S-17). */
const procedure = t.procedure.use(async ({ ctx, path, next }) => {
  const scope = PROCEDURE_SCOPES[path as ProcedureName];
  if (scope === undefined || !ctx.caller.scopes.includes(scope)) {
    throw new TRPCError({
      code: 'FORBIDDEN',
      cause: new AppError({
        code: 'not-allowed',
        message: `This device may not do that (${scope ?? 'unknown'}).`,
      }),
    });
  }
  const result = await next();
  if (!result.ok && result.error.cause instanceof AppError) {
    throw new TRPCError({ code: TRPC_CODE[result.error.cause.code], cause: result.error.cause });
  }
  return result;
});

const ofSession = z.object({ id: SessionId });
const ofChat = ofSession.extend({ agent: z.string().max(100).nullable() });
const ofMessage = z.object({ id: MessageId });
const ofProject = z.object({ id: ProjectId });

export const appRouter = t.router({
  board: t.router({
    snapshot: procedure.query(({ ctx }) => ctx.services.board.snapshot()),
    feed: procedure
      // `lastEventId` is filled by tRPC on its own reconnects; `after` by the app when it opens a new subscription.
      .input(z.object({ after: z.number().int().nullable(), lastEventId: z.string().optional() }))
      .subscription(async function* ({ ctx, input, signal }) {
        const after = input.lastEventId === undefined ? input.after : Number(input.lastEventId);
        const feed = ctx.services.board.feed(
          Number.isFinite(after) ? after : null,
          signal ?? new AbortController().signal,
        );
        for await (const { seq, update } of feed) yield tracked(String(seq), update);
      }),
  }),
  chat: t.router({
    page: procedure
      .input(ofChat.extend({ generation: z.string().max(80), offset: z.number().int().nonnegative() }))
      .query(({ ctx, input: { generation, offset, ...of } }) =>
        ctx.services.chat.page(of, { generation, offset }),
      ),
    image: procedure
      .input(
        ofChat.extend({
          generation: z.string().max(80),
          offset: z.number().int().nonnegative(),
          index: z.number().int().nonnegative().max(100),
        }),
      )
      .query(({ ctx, input: { generation, offset, index, ...of } }) =>
        ctx.services.chat.image(of, { generation, offset, index }),
      ),
    follow: procedure
      .input(
        ofChat.extend({
          after: z.object({ generation: z.string().max(80), to: z.number().int().nonnegative() }).nullable(),
        }),
      )
      .subscription(async function* ({ ctx, input: { after, ...of }, signal }) {
        yield* ctx.services.chat.follow(of, after, signal ?? new AbortController().signal);
      }),
  }),
  host: t.router({
    info: procedure.query(({ ctx }) => ctx.services.host.info(ctx.caller)),
    checks: procedure.query(({ ctx }) => ctx.services.host.checks()),
  }),
  sessions: t.router({
    start: procedure.input(StartSession).mutation(({ ctx, input }) => ctx.services.sessions.start(input)),
    resume: procedure.input(ofSession).mutation(({ ctx, input }) => ctx.services.sessions.resume(input.id)),
    rename: procedure
      .input(ofSession.extend({ name: z.string().trim().min(1).max(80) }))
      .mutation(({ ctx, input }) => ctx.services.sessions.rename(input.id, input.name)),
    commands: procedure.input(ofSession).query(({ ctx, input }) => ctx.services.sessions.commands(input.id)),
    files: procedure
      .input(ofSession.extend({ query: z.string().max(300) }))
      .query(({ ctx, input }) => ctx.services.sessions.files(input.id, input.query)),
    seen: procedure.input(ofSession).mutation(({ ctx, input }) => ctx.services.sessions.seen(input.id)),
    archive: procedure
      .input(ofSession.extend({ archived: z.boolean() }))
      .mutation(({ ctx, input }) => ctx.services.sessions.archive(input.id, input.archived)),
    interrupt: procedure
      .input(ofSession)
      .mutation(({ ctx, input }) => ctx.services.sessions.interrupt(input.id)),
    end: procedure.input(ofSession).mutation(({ ctx, input }) => ctx.services.sessions.end(input.id)),
  }),
  messages: t.router({
    send: procedure
      .input(SendMessage)
      .mutation(({ ctx, input }) => ctx.services.messages.send(ctx.caller, input)),
    edit: procedure
      .input(
        ofMessage.extend({
          text: z.string().max(MAX_MESSAGE).optional(),
          before: MessageId.nullable().optional(),
        }),
      )
      .mutation(({ ctx, input: { id, text, before } }) =>
        ctx.services.messages.edit(id, {
          ...(text === undefined ? {} : { text }),
          ...(before === undefined ? {} : { before }),
        }),
      ),
    remove: procedure.input(ofMessage).mutation(({ ctx, input }) => ctx.services.messages.remove(input.id)),
    retry: procedure.input(ofMessage).mutation(({ ctx, input }) => ctx.services.messages.retry(input.id)),
    draft: procedure.input(ofSession).query(({ ctx, input }) => ctx.services.messages.draft(input.id)),
    earlier: procedure.input(ofSession).query(({ ctx, input }) => ctx.services.messages.earlier(input.id)),
    keepDraft: procedure
      .input(ofSession.extend(Draft.shape))
      .mutation(({ ctx, input: { id, ...draft } }) => ctx.services.messages.keepDraft(id, draft)),
    putImage: procedure.input(ImageChunk).mutation(({ ctx, input }) => ctx.services.messages.putImage(input)),
    image: procedure
      .input(ofSession.extend({ image: ImageName }))
      .query(({ ctx, input }) => ctx.services.messages.image(input.id, input.image)),
  }),
  needs: t.router({
    answer: procedure
      .input(SignedAnswer)
      .mutation(({ ctx, input }) => ctx.services.needs.answer(ctx.caller, input)),
    history: procedure.input(ofSession).query(({ ctx, input }) => ctx.services.needs.history(input.id)),
  }),
  projects: t.router({
    browse: procedure
      .input(z.object({ path: z.string().max(4096).nullable() }))
      .query(({ ctx, input }) => ctx.services.projects.browse(input.path)),
    add: procedure
      .input(z.object({ path: z.string().min(1).max(4096) }))
      .mutation(({ ctx, input }) => ctx.services.projects.add(input.path)),
    trust: procedure
      .input(ofProject.extend({ digest: z.string().max(200) }))
      .mutation(({ ctx, input }) => ctx.services.projects.trust(input.id, input.digest)),
    branches: procedure.input(ofProject).query(({ ctx, input }) => ctx.services.projects.branches(input.id)),
    worktrees: procedure
      .input(ofProject)
      .query(({ ctx, input }) => ctx.services.projects.worktrees(input.id)),
  }),
  devices: t.router({
    list: procedure.query(({ ctx }) => ctx.services.devices.list(ctx.caller)),
    revoke: procedure
      .input(z.object({ id: DeviceId }))
      .mutation(({ ctx, input }) => ctx.services.devices.revoke(input.id)),
  }),
});

export type AppRouter = typeof appRouter;
