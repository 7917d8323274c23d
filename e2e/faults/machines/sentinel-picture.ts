import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedis } from '@agent-fleet/scripts/local/redis-server';
import { until } from '@agent-fleet/shared/testing/until';
import type { Redis } from 'ioredis';
import type { Machine, Network } from './network.ts';
import { Program } from './program.ts';
import {
  connectAdmin,
  createRedisNode,
  minReplicaSettings,
  type RedisNode,
  replicationOf,
  type Setting,
} from './redis-node.ts';

const NAME = 'fleet';
const REPLICAS = 2;
const SENTINELS = 3;
const QUORUM = 2;
const PORT = 26_379;
const START_TIMEOUT_MS = 30_000;
const SWITCH_PAUSE_MS = 10_000;
/** As in deploy/redis/start-sentinel.sh. */
const PERIODS = ['info-period', 2_000, 'publish-period', 1_000];

/** Several Redis servers as one, of which one may die. */
export interface RedisPicture {
  /** For `REDIS_URL`. */
  url: string;
  /** For `REDIS_MIN_REPLICAS`. */
  minReplicas: number;
  /** Whether a primary that comes back while another one is being promoted may go on acknowledging writes. */
  mayReturnTooEarly: boolean;
  nodes: readonly RedisNode[];
  sentinels: readonly Program[];
  /** Starts the servers and joins them. */
  start(): Promise<void>;
  primary(): Promise<RedisNode>;
  /** Resolves when every server has its role, and knows the others. */
  untilWhole(timeoutMs: number): Promise<void>;
  /** Makes another server the primary, as an operator does before maintenance. */
  switchOver(): Promise<void>;
  close(): void;
}

/** One primary with two replicas, and three sentinels on machines of their own. */
export function createSentinelPicture(network: Network, setting: Setting, minReplicas: number): RedisPicture {
  const [first, ...others] = Array.from({ length: 1 + REPLICAS }, (_, at) => network.add(`redis-${at + 1}`));
  const settings = minReplicaSettings(minReplicas);
  const follow = [...settings, `replicaof ${first?.address} 6379`];
  const nodes = [
    createRedisNode(first as Machine, settings, setting),
    ...others.map((machine) => createRedisNode(machine, follow, setting)),
  ];
  const machines = Array.from({ length: SENTINELS }, (_, at) => network.add(`sentinel-${at + 1}`));
  const admins = machines.map(({ address }) => connectAdmin(address, PORT));
  const sentinels = machines.map((machine, at) =>
    createSentinel(machine, first as Machine, admins[at] as Redis, setting),
  );

  async function primary(): Promise<RedisNode> {
    const addresses = await Promise.all(
      admins.map((admin) => admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME).catch(() => [])),
    );
    const votes = (addresses as string[][]).map(([address]) => address);
    const most = votes.find((one) => votes.filter((other) => other === one).length >= QUORUM);
    const node = nodes.find(({ machine }) => machine.address === most);
    if (!node) throw new Error(`No primary: ${votes.join(', ')}`);
    return node;
  }

  async function isWhole(): Promise<boolean> {
    const node = await primary();
    const { role, online } = await replicationOf(node);
    const views = await Promise.all(admins.map(readView));
    return (
      role === 'master' &&
      online === REPLICAS &&
      views.every(({ address, known }) => address === node.machine.address && known === `${REPLICAS} ${SENTINELS - 1}`)
    );
  }

  const untilWhole = async (timeoutMs: number) =>
    void (await until(isWhole, { message: 'the sentinels know all servers', timeoutMs, pollMs: 100 }));

  return {
    url: `redis+sentinel://${machines.map(({ address }) => `${address}:${PORT}`).join(',')}/${NAME}`,
    minReplicas,
    mayReturnTooEarly: minReplicas < REPLICAS,
    nodes,
    sentinels,
    async start() {
      for (const { program } of nodes) program.start();
      for (const sentinel of sentinels) sentinel.start();
      await untilWhole(START_TIMEOUT_MS);
    },
    primary,
    untilWhole,
    switchOver: async () => switchOver(await primary(), nodes, admins[0] as Redis, primary),
    close() {
      for (const admin of [...admins, ...nodes.map((node) => node.admin)]) admin.disconnect();
    },
  };
}

function createSentinel(machine: Machine, first: Machine, admin: Redis, { logDir, violate }: Setting): Program {
  const file = `/run/${machine.name}.conf`;
  const lines = [
    `port ${PORT}`,
    'bind 0.0.0.0',
    'protected-mode no',
    'dir /run',
    `sentinel monitor ${NAME} ${first.address} 6379 ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} 3000`,
    `sentinel failover-timeout ${NAME} 6000`,
    `sentinel parallel-syncs ${NAME} 2`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const output = { logFile: join(logDir, `${machine.name}.log`) };
  const setPeriods = () => admin.call('SENTINEL', 'DEBUG', ...PERIODS);
  const launch = () => {
    const sentinel = machine.start(findRedis(console.log), [file, '--sentinel'], { output });
    void until(setPeriods, { timeoutMs: START_TIMEOUT_MS, pollMs: 100 }).catch(() => {
      // It was ended again, and is set at its next start.
    });
    return sentinel;
  };
  return new Program(machine.name, machine, launch, violate);
}

/** What a sentinel knows: the primary, and how many replicas and other sentinels that are up. */
async function readView(sentinel: Redis): Promise<{ address: string; known: string }> {
  const [master, replicas, others] = (await Promise.all(
    ['MASTER', 'REPLICAS', 'SENTINELS'].map((what) => sentinel.call('SENTINEL', what, NAME)),
  )) as [string[], string[][], string[][]];
  const fieldsOf = (pairs: string[]) => new Map(pairs.map((name, at) => [name, pairs[at + 1]] as const));
  const isUp = (pairs: string[]) => {
    const fields = fieldsOf(pairs);
    return !/down|disconnected/.test(fields.get('flags') ?? '') && fields.get('master-link-status') !== 'err';
  };
  const known = `${replicas.filter(isUp).length} ${others.filter(isUp).length}`;
  return { address: isUp(master) ? (fieldsOf(master).get('ip') ?? '') : '', known };
}

/**
 * Writes wait while the replicas catch up; so none is acknowledged that the new primary does not have. The old one lets
 * them wait until it follows, which sentinels tell it only some seconds later.
 */
async function switchOver(
  old: RedisNode,
  nodes: readonly RedisNode[],
  sentinel: Redis,
  primary: () => Promise<RedisNode>,
): Promise<void> {
  await old.admin.call('CLIENT', 'PAUSE', SWITCH_PAUSE_MS, 'WRITE');
  try {
    const areEqual = async () => {
      const found = await Promise.all(nodes.map(replicationOf));
      return new Set(found.map(({ offset }) => offset)).size === 1;
    };
    await until(areEqual, { message: 'the offsets are equal', timeoutMs: SWITCH_PAUSE_MS / 2 });
    await sentinel.call('SENTINEL', 'FAILOVER', NAME);
    const isSwitched = async () => (await primary()) !== old;
    await until(isSwitched, { message: 'another server is the primary', timeoutMs: SWITCH_PAUSE_MS });
    const { address } = (await primary()).machine;
    await old.admin.replicaof(address, 6379);
  } finally {
    await old.admin.call('CLIENT', 'UNPAUSE');
  }
}
