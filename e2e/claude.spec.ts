import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { until } from './kit/host';
import { answer, requestCard, startVendor, test, vendorHost } from './kit/vendor-journey';

test.describe('Claude Code, the real CLI', () => {
  test('works, asks, is approved in the browser, runs the command once and finishes', async ({ page }) => {
    await vendorHost('claude', async ({ host, model, repo }) => {
      await startVendor(page, host, repo, {
        agent: 'Claude Code',
        branch: 'one',
        prompt: 'RUN_BASH: echo ran >> proof.txt',
      });
      const card = requestCard(page);
      await expect(card).toContainText('echo ran >> proof.txt', { timeout: 60_000 });
      await answer(page, 'Approve');
      const row = await until(
        'finished',
        async () => (await host.sessions()).find((s) => s.state === 'finished'),
        60_000,
      );
      expect(readFileSync(join(row.worktree ?? '', 'proof.txt'), 'utf8')).toBe('ran\n');
      expect(model.log()).toContain('RUN_BASH');
    });
  });

  test('a denial reaches the model and it goes on', async ({ page }) => {
    await vendorHost('claude', async ({ host, model, repo }) => {
      await startVendor(page, host, repo, {
        agent: 'Claude Code',
        branch: 'one',
        prompt: 'RUN_BASH: touch never.txt',
      });
      await expect(requestCard(page)).toContainText('touch never.txt', { timeout: 60_000 });
      await answer(page, 'Deny');
      const row = await until(
        'finished',
        async () => (await host.sessions()).find((s) => s.state === 'finished'),
        60_000,
      );
      expect(existsSync(join(row.worktree ?? '', 'never.txt'))).toBe(false);
      await until('the model saw the refusal', () => model.log().includes('denied this in Offdeck'));
    });
  });

  test('answered in the terminal: the card clears and a late tap is refused with the reason', async ({
    page,
  }) => {
    await vendorHost('claude', async ({ host, repo }) => {
      await startVendor(page, host, repo, {
        agent: 'Claude Code',
        branch: 'one',
        prompt: 'RUN_BASH: echo ran >> proof.txt',
      });
      await expect(requestCard(page)).toBeVisible({ timeout: 60_000 });
      await host.pressInDialog('1', /Do you want to/);
      const row = await until(
        'finished',
        async () => (await host.sessions()).find((s) => s.state === 'finished'),
        60_000,
      );
      expect(row.needs).toBe(0);
      expect(readFileSync(join(row.worktree ?? '', 'proof.txt'), 'utf8')).toBe('ran\n');
      await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0, { timeout: 20_000 });
    });
  });

  test('the host is killed while the approval is open and comes back with it', async ({ page }) => {
    await vendorHost('claude', async ({ host, repo }) => {
      await startVendor(page, host, repo, {
        agent: 'Claude Code',
        branch: 'one',
        prompt: 'RUN_BASH: echo ran >> proof.txt',
      });
      await expect(requestCard(page)).toBeVisible({ timeout: 60_000 });
      await host.kill('SIGKILL');
      await host.start();
      await until('still asked', async () => (await host.sessions())[0]?.needs === 1);
      await answer(page, 'Approve');
      const row = await until(
        'finished',
        async () => (await host.sessions()).find((s) => s.state === 'finished'),
        60_000,
      );
      expect(readFileSync(join(row.worktree ?? '', 'proof.txt'), 'utf8')).toBe('ran\n');
    });
  });

  test('Esc in the terminal heals the state', async ({ page }) => {
    await vendorHost('claude', async ({ host, repo }) => {
      await startVendor(page, host, repo, { agent: 'Claude Code', branch: 'one', prompt: 'LONG: 120' });
      await until('working', async () => (await host.sessions())[0]?.state === 'working', 60_000);
      const pane = await host.pane();
      await until('idle after Esc', async () => {
        await host.tmux('send-keys', '-t', pane, 'Escape');
        return (await host.sessions())[0]?.state === 'idle';
      });
    });
  });

  test('a usage limit is shown as one', async ({ page }) => {
    await vendorHost('claude', async ({ host, repo }) => {
      await startVendor(page, host, repo, { agent: 'Claude Code', branch: 'one', prompt: 'LIMIT' });
      await until('limit', async () => (await host.sessions())[0]?.state === 'limit', 60_000);
    });
  });
});
