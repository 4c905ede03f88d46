import { delimiter, join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { TestHost } from './host';
import { addProject, type Start, startSession } from './screens';
import { claudeEnv, codexEnv, FakeModel, vendorBin } from './vendors';

/** A host whose PATH has the real CLI, set up against a loopback model of our own; everything ends afterwards. */
export async function vendorHost(
  vendor: 'claude' | 'codex',
  use: (given: { host: TestHost; model: FakeModel; repo: string }) => Promise<void>,
): Promise<void> {
  const host = new TestHost();
  const model = new FakeModel(
    vendor === 'claude' ? 'anthropic.mjs' : 'openai.mjs',
    join(host.root, 'model.jsonl'),
  );
  try {
    await model.start();
    const repo = await host.repository();
    Object.assign(
      host.env,
      vendor === 'claude' ? claudeEnv(host.root, repo, model) : codexEnv(host.root, model),
      {
        PATH: `${vendorBin(vendor, host.root)}${delimiter}${process.env.PATH}`,
      },
    );
    await host.start();
    await use({ host, model, repo });
  } finally {
    await host.dispose();
    model.stop();
  }
}

export async function startVendor(page: Page, host: TestHost, repo: string, start: Start): Promise<void> {
  await page.goto(await host.link());
  await addProject(page, repo);
  await startSession(page, start);
}

export const requestCard = (page: Page): Locator => page.getByRole('region', { name: /Wants to/ }).first();

export async function answer(page: Page, word: 'Approve' | 'Deny'): Promise<void> {
  await requestCard(page)
    .getByRole('button', { name: new RegExp(`^${word}`) })
    .click();
}
