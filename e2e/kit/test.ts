import { test as base, expect, type Page } from '@playwright/test';
import { TestHost } from './host';

/** A test with a fresh host and a browser that is paired with it; any CSP violation or page error fails the test. */
export const test = base.extend<{ hostEnv: Record<string, string>; host: TestHost; desk: Page }>({
  hostEnv: [{}, { option: true }],
  host: async ({ hostEnv }, use) => {
    const host = new TestHost(hostEnv);
    try {
      await host.start();
      await use(host);
    } finally {
      await host.dispose();
    }
  },
  desk: async ({ host, page }, use) => {
    const faults = watchFaults(page);
    await page.goto(await host.link());
    await expect(page.getByRole('heading', { name: 'Board' })).toBeVisible({ timeout: 30_000 });
    await use(page);
    expect(faults).toEqual([]);
  },
});
export { expect };

export function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content.Security.Policy|Refused to|violates/i.test(message.text())) faults.push(message.text());
  });
  return faults;
}
