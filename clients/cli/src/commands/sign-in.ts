import { FleetError } from '@agent-fleet/sdk';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { readSession } from '../lookup.ts';
import { ask } from '../output/terminal.ts';
import { configPath, type Profile, readProfile, writeProfile } from '../settings/config-file.ts';
import { DEFAULT_PROFILE, findUrl } from '../settings/connection.ts';
import { toProfileTokens } from '../settings/user-token.ts';

interface LoginOptions {
  user?: string;
  apiKeyStdin?: boolean;
  passwordStdin?: boolean;
}

/** The fleet of the profile, which need not exist yet. */
function target({ options, env, cwd }: Context): { path: string; name: string; url: string } {
  const path = configPath(env);
  const name = options.profile ?? (env.FLEET_PROFILE || DEFAULT_PROFILE);
  return { path, name, url: findUrl(options, env, cwd, readProfile(path, name)) };
}

async function login(context: Context, { user, apiKeyStdin, passwordStdin }: LoginOptions): Promise<void> {
  const { connect, out, signal } = context;
  const { path, name, url } = target(context);
  const profile = apiKeyStdin
    ? { url, api_key: oneLine(await context.readStdin(), 'API key') }
    : await signIn(context, url, user, passwordStdin ?? false);
  // Nothing is kept that the fleet does not accept.
  const { api_key, access_token } = profile as Profile;
  const session = await readSession(connect({ url, apiKey: api_key, token: access_token }), signal);
  await writeProfile(path, name, { ...profile, user: session.user });
  out.record({ url, profile: name, user: session.user, role: session.role }, () => [
    `Signed in to ${url} as ${session.user}${session.role ? ` (${session.role})` : ''}`,
  ]);
  if (context.env.FLEET_API_KEY || context.env.FLEET_API_KEY_FILE || context.env.FLEET_TOKEN) {
    out.note('Credentials in the environment take precedence over these.');
  }
}

async function signIn(context: Context, url: string, given: string | undefined, isStdin: boolean): Promise<Profile> {
  if (!context.canAsk && (given === undefined || !isStdin)) {
    throw usageError(
      'There is no terminal to ask for the password',
      'Use fleet login --user <e-mail> --password-stdin, or --api-key-stdin.',
    );
  }
  const terminal = { stderr: process.stderr, signal: context.signal };
  const username = given ?? (await ask(terminal, 'E-mail'));
  const password = isStdin ? oneLine(await context.readStdin(), 'password') : await ask(terminal, 'Password', true);
  // Alone, this scope means all scopes of the user, and asks for a refresh token.
  const body = { grant_type: 'password' as const, username, password, scope: 'offline_access' };
  try {
    const { data } = await context.connect({ url }).post('/token', { body, signal: context.signal });
    return { url, ...toProfileTokens(data as { access_token: string; expires_in: number }) };
  } catch (error) {
    if (!(error instanceof FleetError) || error.status !== 401) throw error;
    const { message, code } = error;
    throw new CliError(EXIT.credentials, code, message, 'Check the e-mail and the password, and try again.', error);
  }
}

function oneLine(text: string, what: string): string {
  // A password may begin or end with blanks.
  const line = text.replace(/\r?\n$/, '');
  if (line === '' || line.includes('\n')) {
    throw usageError(`stdin must have one ${what}`, `Pipe the ${what} into fleet login.`);
  }
  return line;
}

/** Revokes what the fleet knows of the sign-in; an API key stays valid, as others may use it. */
async function logout(context: Context): Promise<void> {
  const { connect, out, signal } = context;
  const { path, name } = target(context);
  const profile = readProfile(path, name);
  if (!profile) {
    const hint = 'You are not signed in; sign in with fleet login.';
    throw new CliError(EXIT.credentials, 'signed_out', `There is no profile ${name}`, hint);
  }
  const token = profile.refresh_token ?? profile.access_token;
  if (token) {
    try {
      await connect({ url: profile.url }).post('/revoke', { body: { token }, signal });
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      out.note(`The fleet did not respond; the session stays valid until it expires: ${error.message}`);
    }
  }
  await writeProfile(path, name, undefined);
  out.record({ profile: name, signed_out: true }, () => [`Signed out of ${profile.url}`]);
  if (profile.api_key) out.note('The API key is still valid: fleet keys revoke ends it.');
}

async function whoami(context: Context): Promise<void> {
  const { fleet, out, signal, connection } = context;
  const { url, source } = connection();
  if (source === 'no credentials') {
    const hint = 'Sign in with fleet login, or set FLEET_API_KEY.';
    throw new CliError(EXIT.credentials, 'signed_out', 'You are not signed in', hint);
  }
  const session = await readSession(fleet(), signal);
  out.record({ ...session, url, credentials: source }, ({ user, role, scopes }) =>
    out.fields([
      ['user', user],
      ['role', role],
      ['scopes', scopes.join(', ')],
      ['fleet', url],
      ['credentials', source],
    ]),
  );
}

export function registerLogin(command: Command, act: Act): void {
  command
    .option('--user <e-mail>', 'the password is asked for')
    .option('--password-stdin', 'read the password from stdin')
    .option('--api-key-stdin', 'keep an API key, read from stdin')
    .action(act(login));
}

export function registerLogout(command: Command, act: Act): void {
  command.action(act(logout));
}

export function registerWhoami(command: Command, act: Act): void {
  command.action(act(whoami));
}
