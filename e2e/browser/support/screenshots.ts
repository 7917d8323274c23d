import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import type { Page } from 'playwright-core';

const FOLDER = join(ROOT, '.data/screenshots');
let isAnnounced = false;

/** Keeps a picture of a page as a file of the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  if (!isAnnounced) console.info(`Screenshots: ${FOLDER}`);
  isAnnounced = true;
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true, animations: 'disabled' });
}
