import type { Answer } from './http-client.ts';
import { HttpClient } from './http-client.ts';
import { ADMIN, API_KEY, LocalFleet, type LocalFleetOptions } from './local-fleet.ts';

/** Set to test a system that runs already, through its public URL only; the other three names say how to get in. */
const REMOTE_URL = process.env.E2E_BASE_URL || undefined;

/** Whether the processes of the system under test are this test's own. */
export const HAS_HANDS = REMOTE_URL === undefined;

/** The system under test: its front door, credentials for it and, where it was started here, hands on its processes. */
export interface System {
  baseUrl: string;
  admin: { email: string; password: string };
  apiKey: string;
  http: HttpClient;
  /** An access token of the admin; asked for once. */
  token(): Promise<string>;
  fleet: LocalFleet | undefined;
  close(): Promise<void>;
}

/** Starts the fleet, or takes the running one that `E2E_BASE_URL` names. */
export async function openSystem(options?: LocalFleetOptions): Promise<System> {
  if (REMOTE_URL === undefined) {
    const fleet = await LocalFleet.start(options);
    return toSystem(fleet.baseUrl, ADMIN, API_KEY, fleet);
  }
  const { E2E_ADMIN_EMAIL: email, E2E_ADMIN_PASSWORD: password, E2E_API_KEY: apiKey } = process.env;
  if (!email || !password || !apiKey) {
    throw new Error('E2E_BASE_URL needs E2E_ADMIN_EMAIL, E2E_ADMIN_PASSWORD and E2E_API_KEY beside it');
  }
  return toSystem(REMOTE_URL, { email, password }, apiKey);
}

/** What is left out where there are no hands is said once a file, not counted as skipped. */
export function sayWhatIsLeftOut(what: string): void {
  if (!HAS_HANDS) console.info(`E2E_BASE_URL is set: without hands on the processes, left out: ${what}`);
}

function toSystem(baseUrl: string, admin: System['admin'], apiKey: string, fleet?: LocalFleet): System {
  let asked: Promise<string> | undefined;
  const token = () => {
    asked ??= signIn(http, admin).then(accessToken);
    return asked;
  };
  const http = new HttpClient(baseUrl, { apiKey, token });
  return {
    baseUrl,
    token,
    admin,
    apiKey,
    http,
    fleet,
    async close() {
      http.close();
      await fleet?.close();
    },
  };
}

/** `POST /token` by the form of OAuth 2. */
export function signIn(http: HttpClient, { email, password }: System['admin']): Promise<Answer> {
  return http.call('POST', '/token', {
    as: 'nobody',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ grant_type: 'password', username: email, password })),
  });
}

function accessToken({ status, text, json }: Answer): string {
  if (status !== 200) throw new Error(`POST /token: ${status} ${text}`);
  return (json as { access_token: string }).access_token;
}
