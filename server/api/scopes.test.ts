import { describe, expect, it } from 'vitest';
import { ALL_SCOPES, type DeviceId, PROCEDURE_SCOPES, type ProcedureName, type Scope } from '../contract';
import { stubServices } from './host.fake';
import { appRouter } from './router';

/** One valid input each; a procedure without a row here fails the test, so none is forgotten. */
const id = 'abcdefgh23456789';
const INPUTS: Record<ProcedureName, unknown> = {
  'board.feed': { after: null },
  'board.snapshot': undefined,
  'chat.page': { id, agent: null, generation: 'g', offset: 0 },
  'chat.image': { id, agent: null, generation: 'g', offset: 0, index: 0 },
  'chat.follow': { id, agent: null, after: null },
  'host.info': undefined,
  'host.checks': undefined,
  'sessions.start': null, // filled below: whatever the schema wants, the scope is judged first
  'sessions.commands': { id },
  'sessions.files': { id, query: 'x' },
  'sessions.resume': { id },
  'sessions.rename': { id, name: 'x' },
  'sessions.seen': { id },
  'sessions.archive': { id, archived: true },
  'sessions.interrupt': { id },
  'sessions.end': { id },
  'messages.send': { sessionId: id, id, text: 'x' },
  'messages.edit': { id, text: 'x' },
  'messages.remove': { id },
  'messages.retry': { id },
  'messages.draft': { id },
  'messages.earlier': { id },
  'messages.keepDraft': { id, text: 'x', images: [] },
  'messages.putImage': { sessionId: id, upload: id, offset: 0, total: 1, data: 'AA==' },
  'messages.image': { id, image: `${'a'.repeat(32)}.png` },
  'needs.answer': {
    needId: id,
    digest: 'd'.repeat(64),
    decision: 'allow',
    nonce: 'n'.repeat(20),
    time: 1,
    sig: 's',
  },
  'needs.history': { id },
  'projects.browse': { path: null },
  'projects.add': { path: '/x' },
  'projects.trust': { id, digest: 'd' },
  'projects.branches': { id },
  'projects.worktrees': { id },
  'devices.list': undefined,
  'devices.revoke': { id },
};
const NAMES = Object.keys(PROCEDURE_SCOPES) as ProcedureName[];

const createCaller = (scopes: readonly Scope[], calls: string[] = []) =>
  appRouter.createCaller({
    services: stubServices(calls),
    caller: { deviceId: id as DeviceId, label: 'x', scopes },
  });
const call = async (name: ProcedureName, scopes: readonly Scope[], calls: string[] = []): Promise<string> => {
  const [group, method] = name.split('.') as [string, string];
  const caller = createCaller(scopes, calls) as unknown as Record<
    string,
    Record<string, (input: unknown) => Promise<unknown>>
  >;
  try {
    const result = await caller[group]![method]!(INPUTS[name]);
    // A subscription does its first work when it is read.
    if (result && typeof result === 'object' && Symbol.asyncIterator in result) {
      await (result as AsyncGenerator)[Symbol.asyncIterator]().next();
    }
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the scope table', () => {
  it('names every procedure of the router and no other (S-17)', () => {
    const served = Object.keys((appRouter._def as { procedures: object }).procedures).sort();
    expect(served).toEqual([...NAMES].sort());
  });

  it('decides for every scope and procedure, before anything is reached', async () => {
    for (const name of NAMES) {
      for (const scope of ALL_SCOPES) {
        const calls: string[] = [];
        const outcome = await call(name, [scope], calls);
        const allowed = PROCEDURE_SCOPES[name] === scope;
        if (!allowed) expect(outcome, `${name} with ${scope}`).toBe('FORBIDDEN');
        // The start of a session has a large input; getting as far as its schema shows that the scope let it pass.
        else expect(outcome, `${name} with ${scope}`).toBe(INPUTS[name] === null ? 'BAD_REQUEST' : 'done');
        expect(calls, `${name} with ${scope}`).toEqual(allowed && INPUTS[name] !== null ? [name] : []);
      }
      expect(await call(name, [])).toBe('FORBIDDEN');
      const rest = ALL_SCOPES.filter((scope) => scope !== PROCEDURE_SCOPES[name]);
      expect(await call(name, rest), `${name} with all others`).toBe('FORBIDDEN');
    }
  });
});
