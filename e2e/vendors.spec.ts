import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Device } from './kit/device';
import { type TestHost, until } from './kit/host';
import { answer, requestCard, startVendor, vendorHost } from './kit/vendor-journey';

/** What differs between the real CLIs: the words of their fake model, and their own dialog. */
const VENDORS = [
  {
    id: 'claude',
    agent: 'Claude Code',
    ask: 'RUN_BASH',
    refusal: 'denied this in Offdeck',
    dialog: { key: '1', text: /Do you want to/ },
  },
  {
    id: 'codex',
    agent: 'Codex',
    ask: 'RUN_SHELL',
    refusal: 'rejected',
    dialog: { key: 'y', text: /Would you like to/ },
  },
] as const;

const inState = (host: TestHost, state: string) =>
  until(state, async () => (await host.sessions()).find((s) => s.state === state), 60_000);

for (const vendor of VENDORS) {
  const start = (prompt: string) => ({ agent: vendor.agent, branch: 'one', prompt });
  const command = start(`${vendor.ask}: echo ran >> proof.txt`);
  const ranOnce = (worktree: string | null) =>
    expect(readFileSync(join(worktree ?? '', 'proof.txt'), 'utf8')).toBe('ran\n');

  test.describe(`${vendor.agent}, the real CLI`, () => {
    test('works, asks, is approved in the browser, runs the command once and finishes', async ({ page }) => {
      await vendorHost(vendor.id, async ({ host, model, repo }) => {
        await startVendor(page, host, repo, command);
        await expect(requestCard(page)).toContainText('echo ran >> proof.txt', { timeout: 60_000 });
        await answer(page, 'Approve');
        ranOnce((await inState(host, 'finished')).worktree);
        expect(model.log()).toContain(vendor.ask);
      });
    });

    test('a denial reaches the model and it goes on', async ({ page }) => {
      await vendorHost(vendor.id, async ({ host, model, repo }) => {
        await startVendor(page, host, repo, start(`${vendor.ask}: touch never.txt`));
        await expect(requestCard(page)).toContainText('touch never.txt', { timeout: 60_000 });
        await answer(page, 'Deny');
        const row = await inState(host, 'finished');
        expect(existsSync(join(row.worktree ?? '', 'never.txt'))).toBe(false);
        await until('the model saw the refusal', () => model.log().includes(vendor.refusal));
      });
    });

    test('answered in the terminal: the card clears and a late tap is refused with the reason', async ({
      page,
    }) => {
      await vendorHost(vendor.id, async ({ host, repo }) => {
        await startVendor(page, host, repo, command);
        await expect(requestCard(page)).toBeVisible({ timeout: 60_000 });
        const late = await (await Device.enrol(await host.link())).connect();
        const shown = await until('the other device sees it', () =>
          [...late.board.needs.values()].find((need) => need.state === 'pending'),
        );
        await host.pressInDialog(vendor.dialog.key, vendor.dialog.text);
        const row = await inState(host, 'finished');
        expect(row.needs).toBe(0);
        await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
        await expect(late.answer(shown, 'allow')).rejects.toThrow(/^Not applied\. .*terminal/i);
        ranOnce(row.worktree);
        late.close();
      });
    });

    test('the host is killed while the approval is open and comes back with it', async ({ page }) => {
      await vendorHost(vendor.id, async ({ host, repo }) => {
        await startVendor(page, host, repo, command);
        await expect(requestCard(page)).toBeVisible({ timeout: 60_000 });
        await host.kill('SIGKILL');
        await host.start();
        await until('still asked', async () => (await host.sessions())[0]?.needs === 1);
        await answer(page, 'Approve');
        ranOnce((await inState(host, 'finished')).worktree);
      });
    });

    test('Esc in the terminal heals the state', async ({ page }) => {
      await vendorHost(vendor.id, async ({ host, repo }) => {
        await startVendor(page, host, repo, start('LONG: 120'));
        await inState(host, 'working');
        const pane = await host.pane();
        await until('idle after Esc', async () => {
          await host.tmux('send-keys', '-t', pane, 'Escape');
          return (await host.sessions())[0]?.state === 'idle';
        });
      });
    });

    test('a usage limit is shown as one', async ({ page }) => {
      await vendorHost(vendor.id, async ({ host, repo }) => {
        await startVendor(page, host, repo, start('LIMIT'));
        await inState(host, 'limit');
      });
    });
  });
}
