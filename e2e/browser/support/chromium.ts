import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOnPath, installSystemPackage } from '@agent-fleet/scripts/local/system-packages';
import { ROOT } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PACKAGES = { 'apt-get': 'chromium', apk: 'chromium', dnf: 'chromium' };
const ARGS = ['--disable-gpu', '--disable-dev-shm-usage'];
/** Longer than an installation may take. A folder that is older was left by a killed run. */
const INSTALL_TIMEOUT_MS = 700_000;
const LOCK = join(ROOT, '.data/chromium-is-being-installed');

/** A Chromium, or why there is none. */
export type Chromium = { path: string } | { missing: string };

/**
 * The Chromium of `CHROMIUM` or of PATH; installs the package of the system if there is none. @throws with `CI=true`
 * when there is none and none can be installed
 */
export async function prepareChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM is ${named}, which does not exist`);
  const found = named || findOnPath(NAMES) || (await install());
  if (found) return { path: found };
  const missing = 'Chromium is not installed, and cannot be installed without a prompt';
  if (process.env.CI === 'true') throw new Error(missing);
  return { missing };
}

/** Test files of a run may do this at the same time, but package managers cannot. */
async function install(): Promise<string | undefined> {
  mkdirSync(dirname(LOCK), { recursive: true });
  await until(lock, { message: 'another process has installed Chromium', timeoutMs: INSTALL_TIMEOUT_MS, pollMs: 500 });
  try {
    if (findOnPath(NAMES) === undefined) installSystemPackage(PACKAGES, console.info);
    return findOnPath(NAMES);
  } finally {
    rmdirSync(LOCK);
  }
}

/** @throws if another process has the lock */
function lock(): true {
  const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > INSTALL_TIMEOUT_MS) rmdirSync(LOCK);
  mkdirSync(LOCK);
  return true;
}

export function launchChromium(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: ARGS });
}
