import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client';
import { AppError, type Decision, DeviceId, type Need, SessionId } from '../contract';
import { createLog } from '../log';
import { silentJournal } from '../platform';
import type { Asked } from './decide';
import { LIFETIME_MS } from './decide';
import { createNeeds } from './needs';
import { needReader, needsProjection } from './store';

const S = SessionId.parse('session1aaaaa');
const phone = DeviceId.parse('phoneaaaaaaa');
const desk = DeviceId.parse('deskaaaaaaaa');

function setUp(options: { deliver?: (ref: string, decision: Decision) => Promise<'taken' | 'gone'> } = {}) {
  const db = openDatabase({ file: ':memory:', migrations: 'db/migrations', backups: null, now: () => 1 });
  let time = 1_000;
  const clock = { now: () => time, mono: () => time };
  const log = createLog({ db, now: clock.now, projections: [needsProjection] });
  const reader = needReader(db);
  const delivered: string[] = [];
  const deps = {
    log,
    reader,
    clock,
    journal: silentJournal,
    crash: () => {},
    cwdOf: () => '/tmp',
    verify: (answer: { sig: string; deviceId: string }) => {
      if (answer.sig !== 'good') throw new AppError({ code: 'signed-out', message: 'bad signature' });
      return answer.deviceId === phone ? 'Phone' : 'Desk';
    },
    deliver: async (_: unknown, ref: string, decision: Decision) => {
      const outcome = (await options.deliver?.(ref, decision)) ?? 'taken';
      if (outcome === 'taken') delivered.push(`${ref} ${decision}`);
      return outcome;
    },
  };
  const needs = createNeeds(deps);
  return {
    needs,
    reader,
    delivered,
    log,
    again: () => createNeeds(deps),
    pass: (ms: number) => {
      time += ms;
    },
    close: () => {
      needs.close();
      db.$client.close();
    },
  };
}
const asked = (ref: string, command = 'touch x'): Asked => ({
  vendorRef: ref,
  kind: 'command',
  tool: 'Bash',
  title: 'Wants to run a command',
  body: command,
  why: null,
  input: { command },
  answerable: true,
});
const say = (need: Need, decision: Decision, over: Partial<{ digest: string; sig: string }> = {}) => ({
  needId: need.id,
  digest: need.digest,
  decision,
  nonce: 'n'.repeat(20),
  time: 0,
  sig: 'good',
  ...over,
});
const only = (list: Need[]): Need => {
  expect(list).toHaveLength(1);
  return list[0] as Need;
};

describe('needs', () => {
  it('records, answers, delivers and confirms exactly once', async () => {
    const t = setUp();
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    const after = await t.needs.answer(desk, say(need, 'allow'));
    expect(after.state).toBe('delivered');
    t.needs.settled(S, { vendorRef: 'a', how: 'confirmed', note: '' });
    expect(t.reader.get(need.id)?.state).toBe('confirmed');
    // The same answer again from the same device gets the same result and reaches nobody.
    await t.needs.answer(desk, say(need, 'allow'));
    expect(t.delivered).toEqual(['a allow']);
    t.close();
  });

  it('refuses a wrong digest, a bad signature, another device and a late tap, resolving nothing', async () => {
    const t = setUp();
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    await expect(t.needs.answer(desk, say(need, 'allow', { digest: '0'.repeat(64) }))).rejects.toThrow(
      /not the one/,
    );
    await expect(t.needs.answer(desk, say(need, 'allow', { sig: 'bad' }))).rejects.toThrow(/signature/);
    expect(t.reader.get(need.id)?.state).toBe('pending');
    await t.needs.answer(desk, say(need, 'deny'));
    await expect(t.needs.answer(phone, say(need, 'allow'))).rejects.toThrow('Already denied on Desk.');
    expect(t.delivered).toEqual(['a deny']);
    t.close();
  });

  it('refuses an answer after it was answered in the terminal, with the reason', async () => {
    const t = setUp();
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    t.needs.settled(S, { vendorRef: 'a', how: 'answered-elsewhere', note: 'Answered in the terminal.' });
    await expect(t.needs.answer(desk, say(need, 'allow'))).rejects.toThrow(
      'Not applied. Answered in the terminal.',
    );
    expect(t.delivered).toEqual([]);
    t.close();
  });

  it('lets exactly one of many racing answers win', async () => {
    const t = setUp();
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) =>
        t.needs.answer(i % 2 ? desk : phone, say(need, i % 3 ? 'allow' : 'deny')),
      ),
    );
    expect(t.delivered).toHaveLength(1);
    const winners = new Set(
      results.flatMap((r) => (r.status === 'fulfilled' ? [`${r.value.answeredBy} ${r.value.decision}`] : [])),
    );
    expect(winners.size).toBe(1);
    t.close();
  });

  it('delivers a recorded answer when the agent asks again after a restart, and not to another request', async () => {
    let there = false;
    const t = setUp({ deliver: async () => (there ? 'taken' : 'gone') });
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    expect((await t.needs.answer(desk, say(need, 'allow'))).state).toBe('answered');
    const restarted = t.again();
    restarted.reconcile();
    there = true;
    restarted.asked(S, asked('a', 'rm -rf /'));
    expect(t.delivered).toEqual([]);
    expect(t.reader.get(need.id)?.state).toBe('superseded');
    restarted.close();
    t.close();
  });

  it('delivers it to the same request', async () => {
    let there = false;
    const t = setUp({ deliver: async () => (there ? 'taken' : 'gone') });
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    await t.needs.answer(desk, say(need, 'allow'));
    there = true;
    t.needs.asked(S, asked('a'));
    await expect.poll(() => t.reader.get(need.id)?.state).toBe('delivered');
    expect(t.delivered).toEqual(['a allow']);
    expect(t.log.effects('need.deliver')).toEqual([]);
    t.close();
  });

  it('takes for another request what differs in anything an answer could be about', async () => {
    const form = (rule: string): Asked['form'] => ({
      type: 'approval',
      grants: [{ id: rule, rule, holds: 'until this session ends' }],
    });
    for (const change of [{ form: form('Bash(rm:*)') }, { cwd: '/elsewhere' }, { title: 'Wants more' }]) {
      let there = false;
      const t = setUp({ deliver: async () => (there ? 'taken' : 'gone') });
      t.needs.asked(S, { ...asked('a'), form: form('Bash(ls:*)') });
      const need = only(t.reader.open());
      await t.needs.answer(desk, { ...say(need, 'allow'), detail: JSON.stringify({ grant: 'Bash(ls:*)' }) });
      there = true;
      t.needs.asked(S, { ...asked('a'), form: form('Bash(ls:*)'), ...change });
      expect(t.reader.get(need.id)?.state).toBe('superseded');
      expect(t.delivered).toEqual([]);
      t.close();
    }
  });

  it('records where it would be done, when that is not the session’s own folder', () => {
    const t = setUp();
    t.needs.asked(S, { ...asked('a'), cwd: '/elsewhere' });
    t.needs.asked(S, asked('b'));
    expect(t.reader.open().map((need) => need.cwd)).toEqual(['/elsewhere', '/tmp']);
    t.close();
  });

  it('says that nobody knows, when the host stopped while it handed an answer over', async () => {
    const t = setUp({ deliver: () => new Promise(() => {}) });
    t.needs.asked(S, asked('a'));
    t.needs.asked(S, asked('b'));
    const [a, b] = t.reader.open() as [Need, Need];
    void t.needs.answer(desk, say(a, 'allow'));
    const restarted = t.again();
    restarted.reconcile();
    void restarted.answer(desk, say(b, 'allow'));
    restarted.settled(S, { vendorRef: 'all', how: 'answered-elsewhere', note: 'Answered in the terminal.' });
    expect(t.reader.get(a.id)).toMatchObject({
      state: 'lost',
      note: 'The host stopped while it handed this answer over; whether the agent took it, its terminal shows.',
    });
    // The control: this start of the host has it in hand, so it does know.
    expect(t.reader.get(b.id)?.note).toBe('The answer came too late: Answered in the terminal.');
    restarted.close();
    t.close();
  });

  it('takes no answers to what was not asked', async () => {
    const t = setUp();
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    const detail = JSON.stringify({ answers: { command: ['rm -rf /'] } });
    await expect(t.needs.answer(desk, { ...say(need, 'allow'), detail })).rejects.toThrow(
      'That was not asked.',
    );
    expect(t.reader.get(need.id)?.state).toBe('pending');
    t.close();
  });

  it('expires without ever telling the agent no', async () => {
    const t = setUp();
    t.needs.asked(S, asked('a'));
    const need = only(t.reader.open());
    t.pass(LIFETIME_MS + 1);
    await expect(t.needs.answer(desk, say(need, 'allow'))).rejects.toThrow(/expired/);
    expect(t.delivered).toEqual([]);
    t.close();
  });

  it('keeps parallel requests apart whatever the order of answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(
          Array.from({ length: 20 }, (_, i) => i),
          { minLength: 20, maxLength: 20 },
        ),
        async (order) => {
          const t = setUp();
          for (let i = 0; i < 20; i++) t.needs.asked(S, asked(`r${i}`, `cmd ${i}`));
          const open = t.reader.open();
          expect(open).toHaveLength(20);
          for (const i of order) {
            const need = open.find((n) => n.vendorRef === `r${i}`) as Need;
            await t.needs.answer(desk, say(need, i % 2 ? 'allow' : 'deny'));
          }
          expect(t.delivered).toEqual(order.map((i) => `r${i} ${i % 2 ? 'allow' : 'deny'}`));
          t.close();
        },
      ),
      { numRuns: 5 },
    );
  });
});
