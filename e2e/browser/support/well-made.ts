import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findViolations } from './axe.ts';

const { SCREENSHOTS: folder } = process.env;

/** Nothing else differs in dark. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Runs in the page. */
const widerThanWindow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** A page fits its window and is accessible, in light and in dark. */
export async function expectWellMade(page: Page, name: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await keepScreenshot(page, `${name}-${scheme}-${page.viewportSize()?.width}`);
    expect(await page.evaluate(widerThanWindow)).toBeLessThanOrEqual(0);
    expect(await findViolations(page, scheme === 'light' ? undefined : COLOR_RULES)).toEqual([]);
  }
}

/** Keeps a picture of a page in the folder `SCREENSHOTS`, if it is set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: 'disabled' });
}
