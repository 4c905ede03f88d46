import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client';
import { type DomainEvent, NeedId, type NeedState, Session, SessionId, type SessionState } from '../contract';
import { needReader, needsProjection } from '../needs';
import { recordNeed } from '../needs/decide';
import { sessionReader, sessionsProjection } from '../sessions';
import { createLog } from './log';

const memory = () =>
  openDatabase({ file: ':memory:', migrations: 'db/migrations', backups: null, now: () => 1 });
const sid = (n: number) => SessionId.parse(`session${n}aaaaaaa`);
const session = (n: number): Session =>
  Session.parse({
    id: sid(n),
    name: `s${n}`,
    kind: 'agent',
    vendor: 'scripted',
    projectId: null,
    worktreeId: null,
    cwd: '/tmp',
    mode: 'build',
    permission: 'ask',
    prompt: '',
    promptKept: false,
    state: 'starting',
    since: 0,
    reason: null,
    resetsAt: null,
    evidence: [],
    contextPct: null,
    model: null,
    recap: null,
    activity: [],
    quota: null,
    vendorSession: null,
    pane: null,
    exitCode: null,
    resumable: false,
    created: 0,
    ended: null,
  });
const need = (n: number, s: number) =>
  recordNeed(
    {
      vendorRef: `ref${n}`,
      kind: 'command',
      tool: 'Shell',
      title: 't',
      body: 'b',
      why: null,
      input: { n },
      answerable: true,
    },
    { id: `need${n}aaaaaaaa`, sessionId: sid(s), home: '/tmp', now: n },
  );

const eventArb = fc.integer({ min: 0, max: 3 }).chain((n) =>
  fc.oneof(
    fc.constant<DomainEvent>({ type: 'session.pane-opened', sessionId: sid(n), pane: `%${n}` }),
    fc
      .string({ maxLength: 20 })
      .map<DomainEvent>((name) => ({ type: 'session.renamed', sessionId: sid(n), name })),
    fc.constantFrom<SessionState>('working', 'finished', 'idle', 'error').map<DomainEvent>((state) => ({
      type: 'session.state-changed',
      sessionId: sid(n),
      state,
      since: n,
      reason: null,
      resetsAt: null,
      evidence: [],
    })),
    fc.array(fc.string(), { maxLength: 6 }).map<DomainEvent>((activity) => ({
      type: 'session.noted',
      sessionId: sid(n),
      note: { activity, contextPct: n },
    })),
    fc.constant<DomainEvent>({ type: 'session.seen', sessionId: sid(n) }),
    fc.constant<DomainEvent>({
      type: 'session.ended',
      sessionId: sid(n),
      exitCode: 1,
      reason: 'x',
      resumable: true,
      paneKept: true,
    }),
    fc.constant<DomainEvent>({ type: 'session.resumed', sessionId: sid(n) }),
    fc.constantFrom<NeedState>('delivered', 'confirmed', 'lost').map<DomainEvent>((state) => ({
      type: 'need.moved',
      needId: NeedId.parse(`need${n}aaaaaaaa`),
      state,
      note: null,
    })),
  ),
);

describe('the log', () => {
  it('rebuilds every projection to exactly what live commits made', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { maxLength: 60 }), (facts) => {
        const db = memory();
        let time = 0;
        const log = createLog({ db, now: () => ++time, projections: [sessionsProjection, needsProjection] });
        for (let n = 0; n < 3; n++) log.commit([{ type: 'session.started', session: session(n) }]);
        for (let n = 0; n < 3; n++) log.commit([{ type: 'need.asked', need: need(n, n) }]);
        for (const fact of facts) log.commit([fact]);
        const state = () => JSON.stringify([sessionReader(db).all(), needReader(db).recent(-1)]);
        const live = state();
        log.rebuild();
        expect(state()).toBe(live);
        // The control: a projection that forgot the log would differ.
        sessionsProjection.clear(db);
        expect(state()).not.toBe(live);
        db.$client.close();
      }),
      { numRuns: 60 },
    );
  });

  it('commits facts, projections and effects together or not at all', () => {
    const db = memory();
    const log = createLog({
      db,
      now: () => 1,
      projections: [
        sessionsProjection,
        {
          name: 'bad',
          clear: () => {},
          apply: (_, { event }) => {
            if (event.type === 'session.renamed') throw new Error('no');
          },
        },
      ],
    });
    log.commit([{ type: 'session.started', session: session(1) }]);
    const told: string[] = [];
    log.subscribe((logged) => told.push(logged.event.type));
    expect(() =>
      log.commit([{ type: 'session.renamed', sessionId: sid(1), name: 'new' }], {
        effects: [{ kind: 'x', key: 'x', body: 1 }],
      }),
    ).toThrow('no');
    expect(log.head()).toBe(1);
    expect(sessionReader(db).get(sid(1))?.name).toBe('s1');
    expect(log.effects()).toEqual([]);
    expect(told).toEqual([]);
    db.$client.close();
  });

  it('tells subscribers in the order of the log even when one of them commits', () => {
    const db = memory();
    const log = createLog({ db, now: () => 1, projections: [sessionsProjection] });
    const seen: number[] = [];
    log.subscribe(({ event }) => {
      if (event.type === 'session.started')
        log.commit([{ type: 'session.seen', sessionId: event.session.id }]);
    });
    log.subscribe(({ seq }) => seen.push(seq));
    log.commit([
      { type: 'session.started', session: session(1) },
      { type: 'session.started', session: session(2) },
    ]);
    expect(seen).toEqual([1, 2, 3, 4]);
    db.$client.close();
  });

  it('records an effect with the same key once', () => {
    const db = memory();
    const log = createLog({ db, now: () => 1, projections: [] });
    for (let i = 0; i < 3; i++) {
      log.commit([{ type: 'session.seen', sessionId: sid(1) }], {
        effects: [{ kind: 'k', key: 'same', body: i }],
      });
    }
    expect(log.effects('k').map((effect) => effect.body)).toEqual([0]);
    db.$client.close();
  });
});
