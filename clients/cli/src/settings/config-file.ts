import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeText, whereNotJson } from '@agent-fleet/sdk/text';
import { CliError, EXIT } from '../errors.ts';
import { withMutex } from '../mutex.ts';

const MUTEX_FILE = 'config.json.lock';

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

/** Sets or, with undefined, removes a profile; other profiles stay. */
export async function writeProfile(path: string, name: string, profile: Profile | undefined): Promise<void> {
  await updateProfile(path, name, () => profile);
}

/**
 * Replaces a profile by what `change` makes of it. One command at a time does so, and the file is replaced as a whole,
 * mode 0600. Returns the new profile. @throws CliError for a file that cannot be written, or what `change` throws
 */
export async function updateProfile<T extends Profile | undefined>(
  path: string,
  name: string,
  change: (profile: Profile | undefined) => T | Promise<T>,
): Promise<T> {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw writeError(path, error);
  }
  return withMutex({ path: folder, at: (file) => join(folder, file) }, MUTEX_FILE, async () => {
    const profile = await change(readProfile(path, name));
    const { profiles, ...others } = readConfig(path);
    const kept = Object.entries(profiles).filter(([other]) => other !== name);
    write(path, { ...others, profiles: Object.fromEntries(profile ? [...kept, [name, profile]] : kept) });
    return profile;
  });
}

/** The mutex is held: the draft of a killed command can be replaced. */
function write(path: string, config: Config): void {
  // The file may be a link to one that is kept elsewhere.
  const target = existsSync(path) ? realpathSync(path) : path;
  const draft = `${target}.new`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // The umask may have taken away more than `mode` says.
    chmodSync(draft, 0o600);
    renameSync(draft, target);
  } catch (error) {
    throw writeError(path, error);
  }
}

function writeError(path: string, error: unknown): CliError {
  const hint = 'Correct the rights of the file and its folder, or make room.';
  return new CliError(EXIT.failed, 'config', `${path} cannot be written: ${messageOf(error)}`, hint);
}

function readConfig(path: string): Config {
  let text: string;
  try {
    text = decodeText(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw configError(path, messageOf(error));
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    throw configError(path, `it is not JSON at ${whereNotJson(text)}`);
  }
  const { profiles = {} } = (config ?? {}) as Partial<Config>;
  const isProfile = (profile: unknown) =>
    typeof profile === 'object' && profile !== null && typeof (profile as Profile).url === 'string';
  if (typeof profiles !== 'object' || profiles === null || !Object.values(profiles).every(isProfile)) {
    throw configError(path, 'its "profiles" are not as fleet login writes them');
  }
  return { ...(config as object), profiles };
}

/** Takes the file, which has credentials, from other users, or complains that it cannot. */
export function closeToOthers(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    process.stderr.write(`${path} is open to other users, and cannot be closed: ${messageOf(error)}\n`);
  }
}

function configError(path: string, reason: string): CliError {
  return new CliError(EXIT.usage, 'config', `${path} cannot be read: ${reason}`, 'Correct or remove the file.');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
