import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Device } from './kit/device';
import { TestHost, until } from './kit/host';

const panePids = async (host: TestHost) =>
  (await host.tmux('list-panes', '-a', '-F', '#{pane_pid}')).split('\n').filter(Boolean).sort();

/** The host dies at a named point of its own; what was acknowledged before must be there after. */
for (const point of [
  'session.started',
  'launch.before-commit',
  'launch.after-commit',
  'need.asked',
  'need.answered',
  'need.delivered-before-commit',
  'need.delivered',
]) {
  test(`killed at ${point}: the agent goes on, the command runs exactly once`, async () => {
    const host = new TestHost();
    try {
      const repo = await host.repository();
      await host.start([], { OFFDECK_TEST_CRASH_AT: point });
      let device = await (await Device.enrol(await host.link())).connect();
      const project = await device.project(repo);
      await device.start(project, 'ask echo ran >> proof.txt').catch(() => {});
      const died = () =>
        Promise.race([host.exited.then(() => true), new Promise((done) => setTimeout(done, 1))]);
      const need = async () => [...device.board.needs.values()].find((n) => n.state === 'pending');
      if (!(await died())) {
        const asked = await until(
          'asked or dead',
          async () => (await need()) ?? ((await died()) ? 'dead' : null),
        );
        if (asked !== 'dead') await device.answer(asked, 'allow').catch(() => {});
      }
      expect(await host.exited).toBe('SIGKILL');
      await host.start();
      device = await (await Device.enrol(await host.link())).connect();
      // Whether the answer was durable decides: recorded answers are delivered, unrecorded ones are asked for again.
      await until('finished', async () => {
        const open = [...device.board.needs.values()].find((n) => n.state === 'pending');
        if (open) await device.answer(open, 'allow').catch(() => {});
        return (
          [...device.board.sessions.values()].every((s) => s.state === 'finished') &&
          device.board.sessions.size === 1
        );
      });
      expect(readFileSync(join(repo, 'proof.txt'), 'utf8')).toBe('ran\n');
      expect((await host.sessions()).map((s) => s.needs)).toEqual([0]);
      device.close();
    } finally {
      await host.dispose();
    }
  });
}

test('killed at random while three agents work: none is lost, and what they wrote is whole', async () => {
  test.setTimeout(180_000);
  const host = new TestHost();
  try {
    const repo = await host.repository();
    await host.start();
    const device = await (await Device.enrol(await host.link())).connect();
    const project = await device.project(repo);
    for (const name of ['a', 'b', 'c']) {
      const lines = Array.from(
        { length: 60 },
        (_, i) => `run echo ${i} >> ${name}.txt\nactivity step ${i}\nthink 150`,
      );
      await device.start(project, lines.join('\n'), { name });
    }
    device.close();
    const before = await panePids(host);
    for (let round = 0; round < 8; round++) {
      await host.kill('SIGKILL');
      expect(await panePids(host)).toEqual(before);
      await host.start();
      expect((await host.sessions()).map((s) => s.name).sort()).toEqual(['a', 'b', 'c']);
    }
    await until(
      'all finished',
      async () => (await host.sessions()).every((s) => s.state === 'finished'),
      90_000,
    );
    for (const name of ['a', 'b', 'c']) {
      const wrote = readFileSync(join(repo, `${name}.txt`), 'utf8')
        .trim()
        .split('\n');
      expect(wrote).toEqual(Array.from({ length: 60 }, (_, i) => String(i)));
    }
  } finally {
    await host.dispose();
  }
});

test('after a reboot sessions are resumable, once, and nothing is re-run', async () => {
  const host = new TestHost();
  try {
    const repo = await host.repository();
    await host.start();
    let device = await (await Device.enrol(await host.link())).connect();
    const project = await device.project(repo);
    const session = await device.start(project, 'run echo ran >> proof.txt\nthink 60000');
    await until('ran', () => readFileSync(join(repo, 'proof.txt'), 'utf8') === 'ran\n');
    device.close();
    await host.kill('SIGKILL');
    await host.tmux('kill-server');
    await host.start();
    const [row] = await host.sessions();
    expect(row).toMatchObject({ id: session.id, state: 'exited' });
    device = await (await Device.enrol(await host.link())).connect();
    const both = await Promise.allSettled([
      device.mutate('sessions.resume', { id: session.id }),
      device.mutate('sessions.resume', { id: session.id }),
    ]);
    expect(both.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    await until('idle', async () => (await host.sessions())[0]?.state === 'idle');
    expect(readFileSync(join(repo, 'proof.txt'), 'utf8')).toBe('ran\n');
    device.close();
  } finally {
    await host.dispose();
  }
});
