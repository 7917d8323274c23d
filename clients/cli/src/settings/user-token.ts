import { createFleet, FleetError } from '@agent-fleet/sdk';
import { CliError, EXIT } from '../errors.ts';
import { type Profile, readProfile, writeProfile } from './config-file.ts';

/** A token is refreshed this long before it ends. */
const EARLY_MS = 60_000;

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
 * Returns a function that gives the access token of a user, and refreshes it. Another `fleet` may refresh it at the same
 * time: for ten seconds the fleet gives both the same new tokens (identity.md), and later one finds them in the file.
 */
export function createUserToken(url: string, { path, name }: { path: string; name: string }): () => Promise<string> {
  let refreshing: Promise<string> | undefined;

  async function refresh(refreshToken: string): Promise<string> {
    const fleet = createFleet({ url });
    const body = { grant_type: 'refresh_token' as const, refresh_token: refreshToken };
    try {
      const { data } = await fleet.post('/token', { body });
      const before = readProfile(path, name);
      if (before) writeProfile(path, name, { ...before, ...toProfileTokens(data as Tokens) });
      return data.access_token;
    } catch (error) {
      if (!(error instanceof FleetError) || error.status !== 400) throw error;
      // Another `fleet` may have been faster, and this token is too old by now.
      const now = readProfile(path, name);
      if (now?.access_token && now.refresh_token !== refreshToken) return now.access_token;
      throw signInAgain(error);
    }
  }

  return async () => {
    const profile = readProfile(path, name);
    const { access_token, expires_at, refresh_token } = profile ?? {};
    if (access_token && Date.parse(expires_at ?? '') - EARLY_MS > Date.now()) return access_token;
    if (!refresh_token) throw signInAgain();
    refreshing ??= refresh(refresh_token).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
}

function signInAgain(cause?: unknown): CliError {
  return new CliError(
    EXIT.credentials,
    'signed_out',
    'Your sign-in has ended',
    'Sign in again with fleet login.',
    cause,
  );
}
