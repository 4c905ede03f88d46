import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Device } from './kit/device';
import { TestHost, until } from './kit/host';

/** Every secret of ours begins so: launch codes, capabilities of sessions. */
const SECRET = /od[a-z]_[A-Za-z0-9_-]{20,}/g;

test('S-22: no secret of ours is in an argument, an environment, a log, the database or what an agent prints', async () => {
  const host = await new TestHost().start();
  try {
    const device = await (await Device.enrol(await host.link())).connect();
    const project = await device.project(await host.repository());
    const agent = await device.start(project, 'run env\nask true');
    const shell = await device.start(project, '', { vendor: 'terminal' });
    await until('it asks', () => device.board.sessions.get(agent.id)?.state === 'needs-you');
    const places: Record<string, string> = { output: host.output };
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      for (const file of ['cmdline', 'environ']) {
        try {
          const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
          if (text.includes(host.root)) places[`${file} of ${pid}`] = text;
        } catch {
          // It ended meanwhile.
        }
      }
    }
    // The host, tmux, the agent and the shell at least.
    expect(Object.keys(places).length).toBeGreaterThan(6);
    for (const name of readdirSync(host.home).filter((one) => one.startsWith('offdeck.db'))) {
      places[name] = readFileSync(join(host.home, name), 'latin1');
    }
    for (const one of [agent, shell]) {
      places[`pane of ${one.vendor}`] = await host.tmux(
        'capture-pane',
        '-p',
        '-S',
        '-',
        '-t',
        one.pane ?? '',
      );
    }
    const found = Object.entries(places).flatMap(([place, text]) =>
      (text.match(SECRET) ?? []).map((secret) => `${place}: ${secret.slice(0, 6)}…`),
    );
    // The link that the start prints for its owner is the one place where a code belongs.
    expect(found.filter((one) => !one.startsWith('output'))).toEqual([]);
    expect(found.filter((one) => one.startsWith('output'))).toHaveLength(1);
    // The control: there are such secrets, where only the owner can read them.
    expect(readFileSync(join(host.home, 'sessions', agent.id, 'capability'), 'utf8')).toMatch(SECRET);
    device.close();
  } finally {
    await host.dispose();
  }
});
