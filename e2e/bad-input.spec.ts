import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Device } from './kit/device';
import { freePort, TestHost, until } from './kit/host';

/** A host that is not started: its command is expected to refuse, and to say why and what to do. */
async function refused(host: TestHost, env: Record<string, string> = {}) {
  host.port ||= await freePort();
  host.env.OFFDECK_PORT = String(host.port);
  Object.assign(host.env, env);
  return host.cli('start', '--no-open');
}

let host: TestHost;
test.beforeEach(() => {
  host = new TestHost();
});
test.afterEach(() => host.dispose());

test('a port that is taken names its owner and never moves to another', async () => {
  const other = net.createServer().listen(0, '127.0.0.1');
  await new Promise((done) => other.once('listening', done));
  host.port = (other.address() as net.AddressInfo).port;
  const { code, err, out } = await refused(host);
  expect(code).not.toBe(0);
  expect(err + out).toContain(String(host.port));
  expect(err + out).toContain('OFFDECK_PORT');
  other.close();
});

test('a second host on the same state folder is refused and says how to reach the first', async () => {
  await host.start();
  const second = new TestHost({ OFFDECK_HOME: host.home });
  const { code, err, out } = await refused(second, { OFFDECK_HOME: host.home });
  expect(code).toBe(5);
  expect(err + out).toMatch(/already running/);
  expect(err + out).toMatch(/offdeck open/);
  rmSync(second.root, { recursive: true, force: true });
});

test('a state folder that is not safely ours is refused', async () => {
  mkdirSync(host.home, { mode: 0o700 });
  chmodSync(host.home, 0o755);
  let result = await refused(host);
  expect(result.code).not.toBe(0);
  expect(result.err + result.out).toMatch(/other users can get into it/);
  rmSync(host.home, { recursive: true });
  const real = mkdtempSync(join(tmpdir(), 'od-real-'));
  symlinkSync(real, host.home);
  result = await refused(host);
  expect(result.err + result.out).toMatch(/symbolic link/);
  rmSync(real, { recursive: true });
});

test('a tmux that is too old, or missing, is named with what installs it', async () => {
  const bin = join(host.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tmux'), '#!/bin/sh\necho tmux 2.9\n', { mode: 0o755 });
  const { code, err, out } = await refused(host, { PATH: `${bin}:${process.env.PATH}` });
  expect(code).toBe(4);
  expect(err + out).toMatch(/tmux/);
  expect(err + out).toMatch(/3\.2/);
});

test('commands without a host say that there is none', async () => {
  for (const command of ['open', 'status', 'stop']) {
    const { code, err } = await host.cli(command);
    expect(code).toBe(3);
    expect(err).toMatch(/not running/i);
  }
  expect((await host.cli('no-such-command')).code).toBe(2);
});

test('stop leaves the agents running and start finds them, every time', async () => {
  // A thread of the terminal's that outlived its worker aborted about every fourth stop.
  for (let i = 0; i < 15; i++) {
    await host.start();
    expect((await host.cli('stop')).code).toBe(0);
    expect(await host.exited).toBe(0);
    expect(await host.tmux('list-sessions')).toContain('hub');
  }
  await host.start();
});

test('folders that are no repository, bare, or oddly named', async ({ page }) => {
  await host.start();
  const { addByPath, openNewSession } = await import('./kit/screens');
  await page.goto(await host.link());
  await openNewSession(page);
  const plain = join(host.root, 'plain');
  mkdirSync(plain);
  await addByPath(page, plain);
  await expect(page.getByText(/not in a git repository/i).first()).toBeVisible();
  const bare = join(host.root, 'bare.git');
  execFileSync('git', ['init', '-q', '--bare', bare], { env: host.env });
  await addByPath(page, bare);
  await expect(page.getByText(/bare/i).first()).toBeVisible();
  const odd = await host.repository(`a "b" 'c' #(x) $HOME`);
  await addByPath(page, odd);
  await expect(page.getByRole('button', { name: /Trust/ })).toBeVisible();
  // A newline cannot be typed into a field; the wire takes it.
  const device = await (await Device.enrol(await host.link())).connect();
  const project = await device.project(await host.repository('line\nbreak'));
  const session = await device.start(project, 'run pwd > where.txt');
  await until('it ran there', () =>
    readFileSync(join(session.cwd, 'where.txt'), 'utf8').includes('line\nbreak'),
  );
  await expect(
    device.start(project, '', { workplace: { type: 'new', branch: 'main', base: 'main' } }),
  ).rejects.toThrow(/exists/);
  device.close();
});
