import { createFleet, FleetError } from '@agent-fleet/sdk';
import { CliError, EXIT } from '../errors.ts';
import { type Profile, readProfile, updateProfile } from './config-file.ts';

/** A token is refreshed this long before it ends. */
const EARLY_MS = 60_000;
/** Others wait for it. */
const REFRESH_TIMEOUT_MS = 15_000;

interface Tokens {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
}

/** The fields of a profile for the response of `/token`. */
export function toProfileTokens(tokens: Tokens): Pick<Profile, 'access_token' | 'refresh_token' | 'expires_at'> {
  const { access_token, refresh_token, expires_in } = tokens;
  const expires_at = new Date(Date.now() + expires_in * 1_000).toISOString();
  return { access_token, expires_at, ...(refresh_token !== undefined && { refresh_token }) };
}

/**
 * Returns a function that gives the access token of a user, and refreshes it when it ends or is `refused`. A refresh
 * token is good for one use, so only one `fleet` at a time refreshes, and the others take what it has written.
 * @throws CliError when the sign-in has ended; FleetError
 */
export function createUserToken(url: string, { path, name }: { path: string; name: string }) {
  let refreshing: Promise<string> | undefined;

  async function refresh(refused: string | undefined): Promise<string> {
    const { access_token } = await updateProfile(path, name, async (profile) => {
      if (profile && isFresh(profile, refused)) return profile;
      if (!profile?.refresh_token) throw signInAgain();
      return { ...profile, ...toProfileTokens(await exchange(url, profile.refresh_token)) };
    });
    return String(access_token);
  }

  return async (refused?: string): Promise<string> => {
    const profile = readProfile(path, name);
    if (profile?.access_token && isFresh(profile, refused)) return profile.access_token;
    refreshing ??= refresh(refused).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
}

function isFresh({ access_token, expires_at }: Profile, refused: string | undefined): boolean {
  return access_token !== undefined && access_token !== refused && Date.parse(expires_at ?? '') - EARLY_MS > Date.now();
}

async function exchange(url: string, refreshToken: string): Promise<Tokens> {
  const body = { grant_type: 'refresh_token' as const, refresh_token: refreshToken };
  try {
    const { data } = await createFleet({ url }).post('/token', { body, timeoutMs: REFRESH_TIMEOUT_MS });
    return data;
  } catch (error) {
    // Refused for good; while the fleet is unavailable, the sign-in stays.
    throw error instanceof FleetError && error.status === 400 ? signInAgain(error) : error;
  }
}

function signInAgain(cause?: unknown): CliError {
  return new CliError(
    EXIT.credentials,
    'signed_out',
    'Your session has expired',
    'Sign in again with fleet login.',
    cause,
  );
}
