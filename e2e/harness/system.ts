import { ADMIN, API_KEY } from './local-fleet.ts';

const { E2E_BASE_URL, E2E_ADMIN_EMAIL: email, E2E_ADMIN_PASSWORD: password, E2E_API_KEY: apiKey } = process.env;

/** Whether the tests start the system under test and control its processes. */
export const CONTROLS_PROCESSES = !E2E_BASE_URL;

/** The address and credentials of the system under test; `baseUrl` is undefined if the tests start it. */
export const SYSTEM = CONTROLS_PROCESSES ? { baseUrl: undefined, admin: ADMIN, apiKey: API_KEY } : remoteSystem();

/** Logged once per file: omitted tests do not count as skipped. */
export function logOmittedTests(what: string): void {
  if (!CONTROLS_PROCESSES)
    console.info(`E2E_BASE_URL is set, so that tests cannot control the processes. Omitted: ${what}`);
}

function remoteSystem() {
  if (email && password && apiKey) return { baseUrl: E2E_BASE_URL, admin: { email, password }, apiKey };
  throw new Error('E2E_BASE_URL needs E2E_ADMIN_EMAIL, E2E_ADMIN_PASSWORD and E2E_API_KEY beside it');
}
