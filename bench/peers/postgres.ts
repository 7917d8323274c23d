import { execFile } from 'node:child_process';
import { globSync, realpathSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';
import { Client } from 'pg';
import type { Stage } from '../stage/stage.ts';

const run = promisify(execFile);

/** The user `nobody`. */
const NOBODY = 65_534;
/** PostgreSQL refuses to run as root. */
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const isRoot = process.getuid?.() === 0;

const SETTINGS = [
  // Loses as much in a crash as Redis with `appendfsync everysec`.
  'synchronous_commit=off',
  // By default a minute: until then, the statistics of an empty table make a lease three times as expensive (measured).
  'autovacuum_naptime=1s',
  'listen_addresses=',
];

const PROGRAMS = findPrograms();
export const hasPostgres = PROGRAMS !== undefined;

/** Starts a private PostgreSQL on a Unix socket and returns the variables with which clients find it. */
export async function startPostgres(stage: Stage, name: string): Promise<NodeJS.ProcessEnv> {
  const dir = stage.makeFolder();
  if (isRoot) await chown(dir, NOBODY, NOBODY);
  const data = join(dir, 'data');
  const [initdb = '', ...options] = toCommand('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--no-locale');
  await run(initdb, options, { cwd: dir });
  const settings = [...SETTINGS, `unix_socket_directories=${dir}`];
  const [command = '', ...args] = toCommand('postgres', '-D', data, ...settings.flatMap((each) => ['-c', each]));
  const ready = async () => {
    const client = new Client({ host: dir, user: 'postgres' });
    await client.connect();
    await client.end();
  };
  await stage.startProgram({ name, command, args, cwd: dir }, ready);
  return { PGHOST: dir, PGUSER: 'postgres' };
}

/** The folder of PostgreSQL's programs, which Debian has for each version, outside of PATH. */
function findPrograms(): string | undefined {
  const onPath = findOnPath(['postgres']);
  const installed = globSync('/usr/lib/postgresql/*/bin/postgres').sort(
    new Intl.Collator('en', { numeric: true }).compare,
  );
  const newest = onPath ?? installed.at(-1);
  return newest && (!isRoot || findOnPath(['setpriv'])) ? dirname(realpathSync(newest)) : undefined;
}

function toCommand(program: string, ...args: string[]): string[] {
  return [...(isRoot ? AS_NOBODY : []), join(PROGRAMS ?? '', program), ...args];
}
