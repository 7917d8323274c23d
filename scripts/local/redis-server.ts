import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child-process.ts';
import { LaunchError } from './launch-error.ts';
import { freePort } from './ports.ts';
import { CONFIG_FILE, claimDataDir } from './redis-data-dir.ts';
import { pingRedis } from './redis-ping.ts';
import { findOnPath, installSystemPackage } from './system-packages.mjs';

const MEND = fileURLToPath(new URL('../../deploy/helm/agent-fleet/files/mend-append-only-file.sh', import.meta.url));
const LOG_FILE = 'redis.log';
const COMMANDS = ['redis-server', 'valkey-server'];
const PACKAGES = { 'apt-get': 'redis-server', apk: 'redis', dnf: 'redis', brew: 'redis' };
const BIND_TRIES = 5;
const BIND_RETRY_MS = 100;
const POLL_MS = 20;
const DEFAULT_READY_TIMEOUT_MS = 120_000;

const REDIS_MISSING =
  'No Redis was found. Three ways out: set REDIS_URL=redis://… to one that runs; install one (Debian, Ubuntu: sudo apt-get install ' +
  'redis-server; macOS: brew install redis); or put a redis-server or valkey-server on PATH.';

/** How a private Redis is started. */
export interface RedisServerOptions {
  /** The folder of its data, configuration (with the password, mode 0600) and log; created if missing. */
  dir: string;
  /** Default: a free one. */
  port?: number;
  /** Default: a random one. */
  password?: string;
  /** Further arguments, such as `--cluster-enabled`, `yes`. Other users of this machine can read them. */
  args?: readonly string[];
  /** How long it may take to load its data, default 120 s. */
  readyTimeoutMs?: number;
}

/** `stop` lets Redis write pending data to disk. */
export interface RedisServer extends Child {
  url: string;
  port: number;
  password: string;
}

/**
 * Returns the path of a Redis or Valkey server. Installs one if there is none and the system's package manager needs no
 * prompt.
 * @throws LaunchError that names the three alternatives
 */
export function findRedis(say: (line: string) => void): string {
  const command = findOnPath(COMMANDS);
  if (command !== undefined) return command;
  if (installSystemPackage(PACKAGES, say)) {
    const installed = findOnPath(COMMANDS);
    if (installed !== undefined) return installed;
  }
  throw new LaunchError(REDIS_MISSING);
}

/**
 * Starts a private Redis: append-only file, bound to 127.0.0.1, with a password. Resolves when it answers.
 * @throws LaunchError when another Redis runs on the same data, or it does not come up
 */
export async function startRedis(command: string, options: RedisServerOptions): Promise<RedisServer> {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const claim = await claimDataDir(options.dir);
  try {
    await mendAppendOnlyFile(command, options);
    return await startOnAnyPort(command, options);
  } finally {
    claim.release();
  }
}

/** Removes the half of a script that a kill may have left: Redis would run it at its second start. */
async function mendAppendOnlyFile(command: string, { dir, readyTimeoutMs }: RedisServerOptions): Promise<void> {
  const mending = startChild('/bin/sh', [MEND, command, dir]);
  const late = setTimeout(mending.kill, readyTimeoutMs ?? DEFAULT_READY_TIMEOUT_MS);
  const { code, reason } = await mending.closed;
  clearTimeout(late);
  if (code !== 0) throw notStarted(reason, mending.printed(), dir);
}

async function startOnAnyPort(command: string, options: RedisServerOptions): Promise<RedisServer> {
  const password = options.password ?? randomBytes(24).toString('hex');
  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await freePort());
    const process = launch(command, port, password, options);
    const problem = await untilReady(process, port, password, options.readyTimeoutMs ?? DEFAULT_READY_TIMEOUT_MS);
    if (problem === undefined) return { ...process, url: `redis://:${password}@127.0.0.1:${port}`, port, password };
    await process.kill();
    const printed = process.printed();
    if (!/address already in use/i.test(printed) || tries === BIND_TRIES)
      throw notStarted(problem, printed, options.dir);
    await sleep(BIND_RETRY_MS);
  }
}

function launch(command: string, port: number, password: string, options: RedisServerOptions): Child {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    // Other users of this machine reach 127.0.0.1 too. In a file, because they can read command lines.
    `requirepass ${password}`,
    `masterauth ${password}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    // A stream takes this much at once, and each agent has two that mostly stay short.
    'stream-node-max-bytes 1024',
  ];
  writeFileSync(join(options.dir, CONFIG_FILE), `${lines.join('\n')}\n`, { mode: 0o600 });
  const output = { logFile: join(options.dir, LOG_FILE) };
  return startChild(command, [CONFIG_FILE, ...(options.args ?? [])], { cwd: options.dir, output });
}

/** Waits until it replies to PING; resolves with the problem if it cannot start. */
async function untilReady(process: Child, port: number, password: string, timeoutMs: number) {
  const deadline = Date.now() + timeoutMs;
  const exited = process.exited.then(({ reason }) => reason);
  while (Date.now() < deadline) {
    const result = await pingRedis(port, password);
    if (result === 'pong') return undefined;
    const ended = await Promise.race([exited, sleep(POLL_MS)]);
    if (ended !== undefined) return ended;
  }
  return `no response within ${timeoutMs / 1000} s`;
}

function notStarted(problem: string, printed: string, dir: string): LaunchError {
  const lines = printed.trim().split('\n');
  const cause = lines.findLast((line) => /error|fatal|can't|failed|bad file/i.test(line)) ?? lines.at(-1);
  return new LaunchError(`Redis did not start (${problem}): ${cause ?? ''} (its log: ${join(dir, LOG_FILE)})`);
}
