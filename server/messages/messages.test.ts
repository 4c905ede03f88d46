import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../db/client';
import type { PromptOutcome } from '../agents/port';
import { ImageName, type Message, MessageId, type Session, SessionId } from '../contract';
import { createLog } from '../log';
import { silentJournal } from '../platform';
import { nextMessage, placeBefore } from './decide';
import { createMessages, messageReader, messagesProjection } from './index';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const ID = SessionId.parse('sessionaaaaaa');
/** What the agent's side does with the next message; the last two are deaths of the host in the middle of it. */
type Fate = 'takes' | 'refuses' | 'takes-silently' | 'loses' | 'dies-before' | 'dies-after';

/** Host and agent without anything between them: the agent knows the truth, the host only what it is told. */
class World {
  readonly db = openDatabase({
    file: ':memory:',
    migrations: 'db/migrations',
    backups: null,
    now: () => Date.now(),
  });
  readonly log = createLog({ db: this.db, now: () => Date.now(), projections: [messagesProjection] });
  readonly reader = messageReader(this.db);
  readonly heard: { id: string; text: string; at: number }[] = [];
  readonly faults: string[] = [];
  readonly gone = new Set<string>();
  fates: Fate[] = [];
  state: Session['state'] = 'idle';
  #messages = this.#make();
  #alive = true;
  #inHand = 0;

  #make() {
    return createMessages({
      log: this.log,
      reader: this.reader,
      clock: { now: () => Date.now(), mono: () => performance.now() },
      journal: silentJournal,
      crash: () => {},
      session: () => ({ kind: 'agent', pane: '%1', state: this.state, promptKept: false }) as Session,
      takesImages: () => true,
      imagePath: (_, image) => (this.gone.has(image) ? null : `/images/${image}`),
      prompt: (_, message, typed) => this.#prompt(message, typed),
      saidSince: async (_, text, since) => this.heard.some((one) => one.text === text && one.at >= since - 1),
    });
  }

  async #prompt(message: { id: string; text: string }, typed: () => void): Promise<PromptOutcome> {
    if (!['idle', 'finished', 'waiting', 'error'].includes(this.state))
      this.faults.push(`typed while ${this.state}`);
    if (this.#inHand++ > 0) this.faults.push('two at once');
    const fate = this.fates.shift() ?? 'takes';
    const take = () => this.heard.push({ ...message, at: Date.now() });
    await Promise.resolve();
    const never = new Promise<PromptOutcome>(() => {});
    if (fate === 'dies-before') {
      this.#alive = false;
      return never;
    }
    if (fate !== 'refuses') typed();
    if (fate === 'dies-after') {
      take();
      this.#alive = false;
      return never;
    }
    this.#inHand--;
    if (fate === 'refuses') return { outcome: 'not-now', why: 'not now' };
    if (fate === 'loses') return { outcome: 'unsure', why: 'lost' };
    take();
    return fate === 'takes' ? { outcome: 'accepted' } : { outcome: 'unsure', why: 'silent' };
  }

  get messages() {
    return this.#messages;
  }
  /** The host dies where it is and another starts on the same log. */
  restart(): void {
    this.#messages.close();
    this.#alive = true;
    this.#inHand = 0;
    this.#messages = this.#make();
    this.#messages.reconcile();
  }
  async settle(ms = 3_000): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    if (!this.#alive) this.restart();
    await vi.advanceTimersByTimeAsync(ms);
  }
  close(): void {
    this.#messages.close();
    this.db.$client.close();
  }
}

const PICTURE = ImageName.parse(`${'a'.repeat(32)}.png`);
let count = 0;
const send = (world: World, text: string) =>
  world.messages.send('Desk', {
    sessionId: ID,
    id: MessageId.parse(`message${String(++count).padStart(6, 'a')}`),
    text,
  });

describe('messages on their way', () => {
  it('go out one after another, in order, each accepted by evidence', async () => {
    const world = new World();
    world.state = 'working';
    const sent = ['one', 'two', 'three'].map((text) => send(world, text));
    await world.settle();
    expect(world.heard).toEqual([]);
    world.state = 'idle';
    await world.settle(10_000);
    expect(world.heard.map((one) => one.text)).toEqual(['one', 'two', 'three']);
    expect(sent.map(({ id }) => world.reader.get(id)?.state)).toEqual(['accepted', 'accepted', 'accepted']);
    world.close();
  });

  it('refused again and again are tried less and less often, and at once when the session changes', async () => {
    const world = new World();
    world.fates = Array.from({ length: 100 }, () => 'refuses' as const);
    const sent = send(world, 'later');
    await vi.advanceTimersByTimeAsync(60_000);
    const tries = 100 - world.fates.length;
    expect(tries).toBeGreaterThanOrEqual(5); // at 0, 2, 6, 14, 30 and 46 s
    expect(tries).toBeLessThanOrEqual(8);
    world.fates = [];
    world.log.commit([{ type: 'session.seen', sessionId: ID }]);
    await vi.advanceTimersByTimeAsync(10);
    expect(world.reader.get(sent.id)?.state).toBe('accepted');
    world.close();
  });

  it('sent twice over a bad line are one message', async () => {
    const world = new World();
    const first = send(world, 'once');
    const again = world.messages.send('Desk', { sessionId: ID, id: first.id, text: 'once' });
    expect(again.id).toBe(first.id);
    await world.settle();
    expect(world.heard).toHaveLength(1);
    world.close();
  });

  it('stop behind one of which nobody knows whether it arrived, until a person decides', async () => {
    const world = new World();
    world.fates = ['loses'];
    const lost = send(world, 'lost');
    const next = send(world, 'next');
    await world.settle(10_000);
    expect([world.reader.get(lost.id)?.state, world.reader.get(next.id)?.state]).toEqual(['unsure', 'kept']);
    world.messages.retry(lost.id);
    await world.settle(10_000);
    expect(world.heard.map((one) => one.text)).toEqual(['lost', 'next']);
    expect(() => world.messages.retry(lost.id)).toThrow(/in doubt/);
    expect(() => world.messages.remove(lost.id)).toThrow(/on its way/);
    world.close();
  });

  it('refuses what cannot be sent, and keeps a draft', () => {
    const world = new World();
    expect(() => send(world, '  \n ')).toThrow(/empty/);
    world.state = 'working';
    const message = send(world, 'first');
    expect(world.messages.edit(message.id, { text: 'changed' }).text).toBe('changed');
    expect(world.messages.remove(message.id).state).toBe('removed');
    expect(() => world.messages.edit(message.id, { text: 'late' })).toThrow(/cannot be changed/);
    const draft = { text: 'half', images: [PICTURE] };
    world.messages.keepDraft(ID, draft);
    expect(world.messages.draft(ID)).toEqual(draft);
    world.messages.keepDraft(ID, { text: '', images: [] });
    expect(world.messages.draft(ID)).toEqual({ text: '', images: [] });
    world.close();
  });

  it('with an image that is gone by the time they go out say so, and what follows waits', async () => {
    const world = new World();
    world.state = 'working';
    const message = world.messages.send('Desk', {
      sessionId: ID,
      id: MessageId.parse('withimageaaa'),
      text: '',
      images: [PICTURE],
    });
    send(world, 'after it');
    world.gone.add(PICTURE);
    world.state = 'idle';
    await world.settle();
    expect(world.reader.get(message.id)).toMatchObject({ state: 'unsure', images: [PICTURE] });
    expect(world.reader.get(message.id)?.note).toMatch(/image of it is gone/);
    expect(world.heard).toEqual([]);
    expect(() => world.messages.send('Desk', { ...message, id: MessageId.parse('withimagebbb') })).toThrow(
      /image of the message is gone/,
    );
    world.messages.remove(message.id);
    await world.settle();
    expect(world.heard.map((one) => one.text)).toEqual(['after it']);
    world.close();
  });

  it('are never lost, never doubled by themselves and never out of order, whatever dies in between (A-17)', async () => {
    const fate = fc.constantFrom<Fate>(
      'takes',
      'refuses',
      'takes-silently',
      'loses',
      'dies-before',
      'dies-after',
    );
    const step = fc.oneof(
      fc.record({ do: fc.constant('send' as const), fate }),
      fc.record({
        do: fc.constant('state' as const),
        state: fc.constantFrom('idle', 'working', 'needs-you', 'finished'),
      }),
      fc.record({ do: fc.constant('restart' as const) }),
      fc.record({ do: fc.constant('wait' as const) }),
      fc.record({ do: fc.constant('retry' as const) }),
      fc.record({ do: fc.constant('remove' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world = new World();
        const sent: Message[] = [];
        const retried = new Map<string, number>();
        const doubt = () => world.reader.open().find((message) => message.state === 'unsure');
        try {
          for (const one of steps) {
            if (one.do === 'send') {
              world.fates.push(one.fate);
              sent.push(send(world, `text ${sent.length}`));
            } else if (one.do === 'state') world.state = one.state as Session['state'];
            else if (one.do === 'restart') world.restart();
            else if (one.do === 'wait') await world.settle();
            else if (one.do === 'retry') {
              const message = doubt();
              if (message) {
                retried.set(message.id, (retried.get(message.id) ?? 0) + 1);
                world.messages.retry(message.id);
              }
            } else {
              const message = world.reader.open().find((open) => open.state === 'kept');
              if (message) world.messages.remove(message.id);
            }
          }
          // The world calms down: the agent takes everything, and the person drops what is in doubt.
          world.fates = [];
          world.state = 'idle';
          for (let i = 0; i < sent.length * 2 + 4; i++) {
            await world.settle();
            const message = doubt();
            if (message) world.messages.remove(message.id);
          }
          const times = (id: string) => world.heard.filter((one) => one.id === id).length;
          for (const { id } of sent) {
            const now = world.reader.get(id);
            expect(['accepted', 'removed']).toContain(now?.state);
            if (now?.state === 'accepted') expect(times(id)).toBeGreaterThan(0);
            expect(times(id)).toBeLessThanOrEqual(1 + (retried.get(id) ?? 0));
          }
          const firsts = [...new Map(world.heard.map((one) => [one.id, one])).keys()];
          const order = sent
            .map((message) => String(message.id))
            .filter((id) => firsts.includes(id) && !retried.has(id));
          expect(firsts.filter((id) => !retried.has(id))).toEqual(order);
          expect(world.faults).toEqual([]);
        } finally {
          world.close();
        }
      }),
      {
        numRuns: 150,
        // One that is refused while it is the only one of the queue comes back before what was sent meanwhile.
        examples: [
          [
            [
              { do: 'send', fate: 'refuses' },
              { do: 'send', fate: 'takes' },
              { do: 'remove' },
              { do: 'state', state: 'idle' },
              { do: 'send', fate: 'takes' },
            ],
          ],
        ],
      },
    );
  }, 60_000);
});

describe('the order of a queue', () => {
  const kept = (id: string, place: number): Message =>
    ({ id, place, state: 'kept', created: place }) as unknown as Message;
  it('has room before any of its messages, again and again', () => {
    const queue = [kept('a', 1), kept('b', 2), kept('c', 3)];
    expect(placeBefore(queue, null)).toBe(4);
    const place = placeBefore(queue, 'b');
    expect(place > 1 && place < 2).toBe(true);
    expect(placeBefore(queue, 'a')).toBeLessThan(1);
    expect(placeBefore([], null)).toBe(1);
  });
  it('keeps the place of one that is on its way or in doubt: it may come back', () => {
    for (const state of ['typing', 'typed', 'unsure'] as const) {
      const queue = [{ ...kept('b', 2), state }];
      expect(placeBefore(queue, null)).toBe(3);
      expect(placeBefore([...queue, kept('c', 3)], 'c')).toBe(2.5);
    }
    expect(placeBefore([{ ...kept('gone', 9), state: 'accepted' }, kept('a', 1)], null)).toBe(2);
  });
  it('waits for a session that runs and is asked nothing', () => {
    const session = (more: Partial<Session>) =>
      ({ kind: 'agent', pane: '%1', state: 'idle', promptKept: false, ...more }) as Session;
    const queue = [kept('b', 2), kept('a', 1)];
    expect(nextMessage(session({}), queue)?.id).toBe('a');
    for (const more of [
      { state: 'needs-you' },
      { state: 'working' },
      { pane: null },
      { promptKept: true },
      { state: 'limit' },
    ]) {
      expect(nextMessage(session(more as Partial<Session>), queue)).toBeNull();
    }
    expect(nextMessage(null, queue)).toBeNull();
    expect(nextMessage(session({}), [...queue, { ...kept('x', 0), state: 'typed' }])).toBeNull();
    expect(nextMessage(session({}), [...queue, { ...kept('x', 0), state: 'unsure' }])).toBeNull();
  });
});
