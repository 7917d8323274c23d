import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, EXIT } from '../errors.ts';

/** Where a profile's fleet is, and its credentials: an API key, or tokens of a user. */
export interface Profile {
  url: string;
  /** The e-mail of the user, for people. */
  user?: string;
  api_key?: string;
  refresh_token?: string;
  access_token?: string;
  /** When the access token ends. */
  expires_at?: string;
}

interface Config {
  profiles: Record<string, Profile>;
}

export function configPath(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME || homedir(), '.config');
  return join(base, 'fleet', 'config.json');
}

/** Undefined if there is no such profile. @throws CliError for a file that is no configuration */
export function readProfile(path: string, name: string): Profile | undefined {
  const { profiles } = readConfig(path);
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Sets or, with undefined, removes a profile; other profiles stay. The file is replaced as a whole, mode 0600. */
export function writeProfile(path: string, name: string, profile: Profile | undefined): void {
  const { profiles, ...others } = readConfig(path);
  const kept = Object.entries(profiles).filter(([other]) => other !== name);
  const all = Object.fromEntries(profile ? [...kept, [name, profile]] : kept);
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ ...others, profiles: all }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // The umask may have taken away more than `mode` says.
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CliError(EXIT.failed, 'config', `${path} cannot be written: ${messageOf(error)}`, 'Correct its rights.');
  }
}

function readConfig(path: string): Config {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw configError(path, messageOf(error));
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    throw configError(path, 'it is not JSON');
  }
  const { profiles = {} } = (config ?? {}) as Partial<Config>;
  const isProfile = (profile: unknown) =>
    typeof profile === 'object' && profile !== null && typeof (profile as Profile).url === 'string';
  if (typeof profiles !== 'object' || profiles === null || !Object.values(profiles).every(isProfile)) {
    throw configError(path, 'its "profiles" are not as fleet login writes them');
  }
  return { ...(config as object), profiles };
}

function configError(path: string, reason: string): CliError {
  return new CliError(EXIT.usage, 'config', `${path} cannot be read: ${reason}`, 'Correct or remove the file.');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
