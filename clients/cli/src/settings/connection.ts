import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { CliError, EXIT, usageError } from '../errors.ts';
import { configPath, type Profile, readProfile } from './config-file.ts';

const DEFAULT_URL = 'http://localhost:8080';
export const DEFAULT_PROFILE = 'default';
/** Where `npm start` keeps the address and the credentials of its fleet. */
const LOCAL_FILE = join('.data', 'credentials.env');

export interface ConnectionOptions {
  url?: string;
  profile?: string;
}

/** Where the fleet is, the credentials for it, and where they were found, for people. */
export interface Connection {
  url: string;
  apiKey?: string;
  /** A bearer token. */
  token?: string;
  /** The credentials of `fleet login`. */
  profile?: { path: string; name: string; value: Profile };
  source: string;
}

/**
 * Flag, environment, profile, then the file of `npm start` in this folder. Stored credentials go to the fleet that they
 * are for, and to no other address that a flag or the environment names.
 * @throws CliError for an unknown profile or a file that cannot be read
 */
export function findConnection(options: ConnectionOptions, env: NodeJS.ProcessEnv, cwd: string): Connection {
  const path = configPath(env);
  const name = options.profile ?? (env.FLEET_PROFILE || DEFAULT_PROFILE);
  const profile = readProfile(path, name);
  if (!profile && options.profile !== undefined) {
    throw new CliError(
      EXIT.usage,
      'profile',
      `There is no profile ${name}`,
      `fleet login --profile ${name} makes one.`,
    );
  }
  // A flag goes before the environment.
  const isNamed = options.profile !== undefined;
  const given = options.url ?? (isNamed ? undefined : env.FLEET_URL || undefined);
  const local = profile ? undefined : readLocal(cwd);
  const url = given ?? profile?.url ?? local?.url ?? DEFAULT_URL;
  const fromEnvironment = isNamed ? undefined : readEnvironment(env);
  if (fromEnvironment) return { url, ...fromEnvironment };
  if (profile && isSame(profile.url, url)) {
    return { url, profile: { path, name, value: profile }, source: `profile ${name} of ${path}` };
  }
  const own = local ?? readLocal(cwd);
  if (own?.apiKey && isSame(own.url ?? DEFAULT_URL, url)) return { url, apiKey: own.apiKey, source: LOCAL_FILE };
  return { url, source: 'no credentials' };
}

function readEnvironment(env: NodeJS.ProcessEnv): Omit<Connection, 'url'> | undefined {
  const { FLEET_API_KEY, FLEET_API_KEY_FILE, FLEET_TOKEN } = env;
  if (FLEET_API_KEY) return { apiKey: FLEET_API_KEY, source: 'FLEET_API_KEY' };
  if (FLEET_API_KEY_FILE) return { apiKey: readKeyFile(FLEET_API_KEY_FILE), source: 'FLEET_API_KEY_FILE' };
  if (FLEET_TOKEN) return { token: FLEET_TOKEN, source: 'FLEET_TOKEN' };
  return undefined;
}

function readKeyFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw usageError(`FLEET_API_KEY_FILE: ${(error as Error).message}`, 'Name a file that holds an API key.');
  }
  if (text === '') throw usageError(`FLEET_API_KEY_FILE: ${path} is empty`, 'Name a file that holds an API key.');
  return text;
}

/** The file of `npm start`; undefined where there is none. Its keys are `name:key`, `name:role:key` or `key`. */
function readLocal(cwd: string): { url?: string; apiKey?: string } | undefined {
  let text: string;
  try {
    text = readFileSync(join(cwd, LOCAL_FILE), 'utf8');
  } catch {
    return undefined;
  }
  const { FLEET_URL, API_KEYS } = parseEnv(text);
  return { url: FLEET_URL || undefined, apiKey: API_KEYS?.split(',')[0]?.split(':').at(-1)?.trim() || undefined };
}

/** Whether two texts name the same fleet. */
function isSame(one: string, other: string): boolean {
  return toComparable(one) === toComparable(other);
}

function toComparable(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
