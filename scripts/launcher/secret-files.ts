import { readFileSync } from 'node:fs';
import { LaunchError } from '../local/launch-error.ts';

/** The secrets that the launcher passes on or makes. */
const NAMES = ['REDIS_URL', 'ADMIN_PASSWORD', 'API_KEYS', 'JWT_SECRET', 'INTERNAL_TOKEN', 'SESSION_ENCRYPTION_KEY'];

/**
 * Replaces `NAME_FILE` by `NAME`, which the launcher passes on: services refuse both. With both it changes nothing.
 * @throws LaunchError that names the variable of a file that cannot be read
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): void {
  for (const name of NAMES) {
    const file = env[`${name}_FILE`];
    if (!file || env[name]) continue;
    env[name] = readSecret(`${name}_FILE`, file);
    delete env[`${name}_FILE`];
  }
}

function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new LaunchError(`${variable}: names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
