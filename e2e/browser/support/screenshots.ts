import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const { SCREENSHOTS: folder } = process.env;

/** Keeps a picture of a page in the folder `SCREENSHOTS`, if it is set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: 'disabled' });
}
