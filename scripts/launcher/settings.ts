import { isAbsolute, relative, resolve } from 'node:path';
import { LaunchError } from '../local/launch-error.ts';
import { portProblem } from '../local/ports.ts';
import { ROOT } from '../services.ts';

const DEFAULT_PORT = 8080;
/** `fleet` looks here for the address and the credentials. */
export const DEFAULT_DATA_DIR = resolve(ROOT, '.data');
const ANY_HOST = ['0.0.0.0', '::'];

export interface Settings {
  /** The gateway's. */
  port: number;
  /** The address that the gateway binds. */
  host: string;
  /** Where people and the launcher reach the gateway. */
  url: string;
  dataDir: string;
  /** The launcher starts a Redis if undefined. */
  redisUrl: string | undefined;
}

/** @throws LaunchError that names the variable */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = readPort(env.PORT || String(DEFAULT_PORT));
  const host = env.HOST || '0.0.0.0';
  const name = ANY_HOST.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    port,
    host,
    url: `http://${name}:${port}`,
    dataDir: env.DATA_DIR ? resolve(ROOT, env.DATA_DIR) : DEFAULT_DATA_DIR,
    redisUrl: env.REDIS_URL || undefined,
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65_536) return port;
  throw new LaunchError(`PORT: must be a whole number from 1 to 65535 (example: PORT=${DEFAULT_PORT})`);
}

/** @throws LaunchError if the gateway could not listen */
export async function requireFreePort({ port, host }: Settings): Promise<void> {
  const problem = await portProblem(port, host);
  if (problem === undefined) return;
  const other = port === 65_535 ? DEFAULT_PORT : port + 1;
  if (problem === 'EADDRINUSE') {
    throw new LaunchError(
      `Port ${port} is in use: stop what listens there, or take another one: PORT=${other} npm start`,
    );
  }
  if (problem === 'EACCES') throw new LaunchError(`Port ${port} is not allowed for this user: PORT=8080 npm start`);
  throw new LaunchError(`HOST: cannot listen on ${host} port ${port} (${problem})`);
}

/** A path relative to the root of the checkout, where it is inside. */
export function shownPath(path: string): string {
  const short = relative(ROOT, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}
