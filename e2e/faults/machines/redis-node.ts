import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedis } from '@agent-fleet/scripts/local/redis-server';
import { ROOT } from '@agent-fleet/scripts/services';
import { Redis } from 'ioredis';
import { run } from '../sandbox.ts';
import { ProcessClock } from './clock.ts';
import type { Machine } from './network.ts';
import { Program } from './program.ts';

const PORT = 6379;
const MEND = join(ROOT, 'deploy/helm/agent-fleet/files/mend-append-only-file.sh');
/** Each server has a disk of its own; twice that of what a run writes between two rewrites of the append-only file. */
const DISK = '512m';
const COMMAND_TIMEOUT_MS = 2_000;
const SPARE_STEP_KIB = 16;
const MAX_SPARE_KIB = 256;

/** What every program of a picture gets. */
export interface Setting {
  logDir: string;
  /** Called with each violation that a program shows by itself. */
  violate(problem: string): void;
}

/** A Redis server on a machine with a disk of its own. */
export interface RedisNode {
  program: Program;
  machine: Machine;
  clock: ProcessClock;
  /** A connection that no cut concerns. */
  admin: Redis;
  fillDisk(): void;
  freeDisk(): void;
}

/** `settings`: lines of its configuration, in addition to those that all have. */
export function createRedisNode(machine: Machine, settings: readonly string[], setting: Setting): RedisNode {
  const dir = `/run/disk-${machine.name}`;
  mkdirSync(dir);
  run('mount', '-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', dir);
  const file = join(dir, 'redis.conf');
  writeFileSync(file, `${[...commonSettings(dir), ...settings].join('\n')}\n`);
  const clock = new ProcessClock(machine.name);
  const server = findRedis(console.log);
  const script = `sh ${MEND} ${server} ${dir} && exec ${server} ${file}`;
  const launch = () =>
    machine.start('/bin/sh', ['-c', script], {
      env: { PATH: process.env.PATH, ...clock.env },
      output: { logFile: join(setting.logDir, `${machine.name}.log`) },
    });
  return {
    program: new Program(machine.name, machine, launch, setting.violate, clock),
    machine,
    clock,
    admin: connectAdmin(machine.address, PORT),
    fillDisk: () => fillDisk(dir),
    freeDisk: () => void run('mount', '-o', `remount,size=${DISK}`, dir),
  };
}

function commonSettings(dir: string): string[] {
  return [
    `port ${PORT}`,
    'bind 0.0.0.0',
    'protected-mode no',
    `dir ${dir}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'stream-node-max-bytes 1024',
    'repl-diskless-sync-delay 0',
    'repl-timeout 10',
    'shutdown-timeout 0',
    // A replica whose disk is full would test its memory for seconds before it ends.
    'crash-memcheck-enabled no',
  ];
}

/** Servers accept writes only while this many replicas have confirmed in the last ten seconds. */
export function minReplicaSettings(count: number): string[] {
  return [`min-replicas-to-write ${count}`, 'min-replicas-max-lag 10'];
}

/** Makes it no larger than what is used: the next page that Redis needs fails. Redis may need some meanwhile. */
function fillDisk(dir: string): void {
  for (let spareKib = 0; ; spareKib += SPARE_STEP_KIB) {
    const usedKib = Number(run('df', '--output=used', '-k', dir).split('\n')[1]);
    try {
      run('mount', '-o', `remount,size=${usedKib + spareKib}k`, dir);
      return;
    } catch (error) {
      if (spareKib > MAX_SPARE_KIB) throw error;
    }
  }
}

export function connectAdmin(host: string, port: number): Redis {
  const admin = new Redis({
    host,
    port,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: () => 200,
  });
  // Each command has its own error.
  return admin.on('error', () => {});
}

export async function replicationOf({ admin }: RedisNode): Promise<{ role: string; offset: number; online: number }> {
  const text = await admin.info('replication');
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1] ?? '';
  const isPrimary = field('role') === 'master';
  return {
    role: field('role'),
    offset: Number(field(isPrimary ? 'master_repl_offset' : 'slave_repl_offset')),
    // Of a replica: whether it follows its primary.
    online: isPrimary ? (text.match(/state=online/g)?.length ?? 0) : Number(field('master_link_status') === 'up'),
  };
}
