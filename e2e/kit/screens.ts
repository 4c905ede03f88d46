import { expect, type Page } from '@playwright/test';

export async function openNewSession(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New session' });
  if (await dialog.isVisible()) return;
  await page
    .getByRole('button', { name: /New session/ })
    .first()
    .click();
  await expect(dialog).toBeVisible();
}

/** Types a folder into the "add project" part of the dialog. */
export async function addByPath(page: Page, path: string): Promise<void> {
  const field = page.getByLabel('Folder');
  if (!(await field.isVisible())) await page.getByRole('button', { name: /Add (a )?project/ }).click();
  await field.fill(path);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}

/** Adds a repository through the dialog and answers the trust question. */
export async function addProject(page: Page, path: string): Promise<void> {
  await openNewSession(page);
  await addByPath(page, path);
  await page.getByRole('button', { name: /Trust/ }).click();
  await expect(
    page.getByRole('dialog', { name: 'New session' }).getByRole('button', { name: /Start/ }),
  ).toBeVisible();
}

export interface Start {
  agent: string;
  branch?: string;
  prompt?: string;
}

/** Starts a session from the dialog (opened if need be) and waits until the dialog is gone. */
export async function startSession(page: Page, start: Start): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New session' });
  if (!(await dialog.isVisible()))
    await page
      .getByRole('button', { name: /New session/ })
      .first()
      .click();
  await dialog.getByRole('radio', { name: start.agent, exact: true }).click();
  if (start.branch !== undefined) await dialog.getByLabel('Branch').fill(start.branch);
  if (start.prompt !== undefined) await dialog.getByLabel('Prompt').fill(start.prompt);
  await dialog.getByRole('button', { name: /Start/ }).click();
  await expect(dialog).toBeHidden({ timeout: 30_000 });
}
