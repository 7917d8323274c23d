import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findViolations } from './axe.ts';

const { SCREENSHOTS: folder } = process.env;

/** Runs in the page. */
const widerThanWindow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** A page fits its window and is accessible, in light and in dark, where only colours differ. */
export async function expectWellMade(page: Page, name: string): Promise<void> {
  const width = page.viewportSize()?.width;
  await page.emulateMedia({ colorScheme: 'light' });
  await keepScreenshot(page, `${name}-light-${width}`);
  expect(await page.evaluate(widerThanWindow)).toBeLessThanOrEqual(0);
  expect(await findViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepScreenshot(page, `${name}-dark-${width}`);
  expect(await findViolations(page, ['color-contrast'])).toEqual([]);
}

/** Keeps a picture of a page in the folder `SCREENSHOTS`, if it is set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: 'disabled' });
}
