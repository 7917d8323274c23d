import { existsSync } from 'node:fs';
import { findOnPath, installSystemPackage } from '@agent-fleet/scripts/local/system-packages';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PACKAGES = { 'apt-get': 'chromium', apk: 'chromium', dnf: 'chromium' };
/** A signal ends the process of the tests, and with it the browser. */
const UNHANDLED = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
const DISABLED = [
  // Popups of the address bar: two more processes for each window, a fifth of all processor time (measured).
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  // This switch replaces Playwright's own. These reach for other hosts, or for another port.
  ...['HttpsUpgrades', 'MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PreconnectToSearch'],
];
/** Of another machine, to the browser. */
const OTHER_HOST = '--host-resolver-rules=MAP fleet.example 127.0.0.1';
const ARGS = [OTHER_HOST, '--disable-gpu', '--disable-dev-shm-usage', `--disable-features=${DISABLED}`];

/** A Chromium, or why there is none. */
export type Chromium = { path: string } | { missing: string };

/**
 * The Chromium of `CHROMIUM` or of PATH; installs the package of the system if there is none. @throws with `CI=true`
 * when there is none and none can be installed
 */
export function prepareChromium(): Chromium {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM is ${named}, which does not exist`);
  const found = named || findOnPath(NAMES) || install();
  if (found) return { path: found };
  const missing = 'Chromium is not installed, and cannot be installed without a prompt';
  if (process.env.CI === 'true') throw new Error(missing);
  return { missing };
}

function install(): string | undefined {
  installSystemPackage(PACKAGES, console.info);
  return findOnPath(NAMES);
}

/** Starts the Chromium that the files of this run share. Resolves with what ends it. */
export async function shareChromium(executablePath: string): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath, args: ARGS, ...UNHANDLED });
  process.env.E2E_CHROMIUM = server.wsEndpoint();
  return () => server.close();
}

/** Connects to the Chromium of this run, or starts one. */
export function openChromium(executablePath: string): Promise<Browser> {
  const { E2E_CHROMIUM } = process.env;
  return E2E_CHROMIUM ? chromium.connect(E2E_CHROMIUM) : chromium.launch({ executablePath, args: ARGS });
}
