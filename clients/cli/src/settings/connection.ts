import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { decodeText } from '@agent-fleet/sdk/text';
import { CliError, EXIT, usageError } from '../errors.ts';
import { toText } from '../text.ts';
import { closeToOthers, configPath, type Profile, readProfile } from './config-file.ts';

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
  closeToOthers(path);
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
  const url = findUrl(options, env, cwd, profile);
  // A flag goes before the environment.
  const fromEnvironment = options.profile === undefined ? readEnvironment(env) : undefined;
  if (fromEnvironment) return { url, ...fromEnvironment };
  if (profile && isSame(profile.url, url)) {
    return { url, profile: { path, name, value: profile }, source: `profile ${name} of ${path}` };
  }
  const own = readLocal(cwd);
  if (own?.apiKey && isSame(own.url ?? DEFAULT_URL, url)) return { url, apiKey: own.apiKey, source: LOCAL_FILE };
  return { url, source: 'no credentials' };
}

/** The address alone, of a profile that need not exist yet. */
export function findUrl(
  { url, profile: name }: ConnectionOptions,
  env: NodeJS.ProcessEnv,
  cwd: string,
  profile: Profile | undefined,
): string {
  const given = url ?? (name === undefined || !profile ? env.FLEET_URL || undefined : undefined);
  return given ?? profile?.url ?? readLocal(cwd)?.url ?? DEFAULT_URL;
}

function readEnvironment(env: NodeJS.ProcessEnv): Omit<Connection, 'url'> | undefined {
  const { FLEET_API_KEY, FLEET_API_KEY_FILE, FLEET_TOKEN } = env;
  if (FLEET_API_KEY) return { apiKey: FLEET_API_KEY, source: 'FLEET_API_KEY' };
  if (FLEET_API_KEY_FILE) return { apiKey: readKeyFile(FLEET_API_KEY_FILE), source: 'FLEET_API_KEY_FILE' };
  if (FLEET_TOKEN) return { token: FLEET_TOKEN, source: 'FLEET_TOKEN' };
  return undefined;
}

function readKeyFile(path: string): string {
  const text = toText(`FLEET_API_KEY_FILE: ${path}`, () => readFileSync(path)).trim();
  if (text === '') throw usageError(`FLEET_API_KEY_FILE: ${path} is empty`, 'Name a file that holds an API key.');
  return text;
}

/**
 * The file of `npm start`; undefined where there is none. Its keys are `name:key`, `name:role:key` or `key`. It names a
 * fleet of this machine: another address would come from whoever made the folder, to be sent credentials.
 */
function readLocal(cwd: string): { url?: string; apiKey?: string } | undefined {
  let text: string;
  try {
    text = decodeText(readFileSync(join(cwd, LOCAL_FILE)));
  } catch {
    return undefined;
  }
  const { FLEET_URL, API_KEYS } = parseEnv(text);
  if (FLEET_URL && !isLoopback(FLEET_URL)) return undefined;
  return { url: FLEET_URL || undefined, apiKey: API_KEYS?.split(',')[0]?.split(':').at(-1)?.trim() || undefined };
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
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
