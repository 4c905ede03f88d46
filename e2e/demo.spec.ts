import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { TestHost, until } from './kit/host';

test('the demo is alive within a minute, found by every command, and leaves nothing, even when it was killed', async ({
  page,
}) => {
  const host = new TestHost({ OFFDECK_SCRIPTED: '0' });
  const folder = join(host.root, 'state-demo');
  const socket = ['-S', join(folder, 'state', 'run', 'tmux.sock')];
  const serverPid = async () => Number(await host.tmux(...socket, 'display-message', '-p', '#{pid}'));
  const alive = (pid: number) => existsSync(`/proc/${pid}`);
  try {
    await host.start(['--demo']);
    await page.goto(await host.link());
    await expect(page.getByRole('region', { name: /Wants to/ }).first()).toBeVisible({ timeout: 60_000 });
    // The agent that is offered first is one that is there.
    await page.keyboard.press('n');
    await expect(page.getByRole('radio', { name: 'Scripted agent' })).toBeChecked();
    await page.keyboard.press('Escape');
    const first = await serverPid();
    await host.kill('SIGKILL');
    await host.start(['--demo']);
    expect(alive(first)).toBe(false);
    await until('its agents are there again', async () => (await host.sessions()).length > 2);
    const second = await serverPid();
    expect((await host.cli('stop')).code).toBe(0);
    await host.exited;
    expect([alive(second), existsSync(folder), existsSync(host.home)]).toEqual([false, false, false]);
  } finally {
    await host.dispose();
  }
});
