import { ADMIN, API_KEY } from './local-fleet.ts';

const { E2E_BASE_URL, E2E_ADMIN_EMAIL: email, E2E_ADMIN_PASSWORD: password, E2E_API_KEY: apiKey } = process.env;

/** Whether the tests start the system under test and control its processes. */
export const HAS_HANDS = !E2E_BASE_URL;

/** Where the system under test is, and its credentials; `baseUrl` is undefined where the tests start it. */
export const SYSTEM = HAS_HANDS ? { baseUrl: undefined, admin: ADMIN, apiKey: API_KEY } : remoteSystem();

/** Logged once per file: what is left out is not counted as skipped. */
export function sayWhatIsLeftOut(what: string): void {
  if (!HAS_HANDS) console.info(`E2E_BASE_URL is set: without hands on the processes, left out: ${what}`);
}

function remoteSystem() {
  if (email && password && apiKey) return { baseUrl: E2E_BASE_URL, admin: { email, password }, apiKey };
  throw new Error('E2E_BASE_URL needs E2E_ADMIN_EMAIL, E2E_ADMIN_PASSWORD and E2E_API_KEY beside it');
}
