import { until } from '@agent-fleet/shared/testing/until';
import type { Network } from './network.ts';
import { createRedisNode, minReplicaSettings, type RedisNode, replicationOf, type Setting } from './redis-node.ts';
import type { Records, RedisPicture } from './redis-picture.ts';

const SLOTS = 16_384;
const MASTERS = 3;
/** One more than masters: a shard whose server is lost gets the spare, so that writes have a replica again. */
const REPLICAS = 4;
const START_TIMEOUT_MS = 30_000;
/** Redis gives a manual failover up after 5 s, when the replica has not caught up. */
const SWITCH_MS = 6_000;
/** A key of each. */
const KEYS: Record<Records, string> = { fleet: 'fleet:{default}:agents', identity: 'fleet:{auth}:audit' };

/** Those of deploy/redis/start-in-cluster.sh. */
const SETTINGS = [
  'cluster-enabled yes',
  'cluster-node-timeout 3000',
  'cluster-migration-barrier 1',
  'cluster-require-full-coverage no',
];

/** Three primaries with a replica each, and a spare one. */
export function createClusterPicture(network: Network, setting: Setting, minReplicas: number): RedisPicture {
  const machines = Array.from({ length: MASTERS + REPLICAS }, (_, at) => network.add(`redis-${at + 1}`));
  const settings = [...SETTINGS, ...minReplicaSettings(minReplicas)];
  const nodes = machines.map((machine) => createRedisNode(machine, settings, setting));

  async function primary(of: Records = 'fleet'): Promise<RedisNode> {
    const slot = await firstAnswer(nodes, ({ admin }) => admin.call('CLUSTER', 'KEYSLOT', KEYS[of]));
    for (const node of nodes) {
      const own = (await readNodes(node)).find(({ flags }) => flags.includes('myself'));
      if (own?.flags.includes('master') && !own.flags.includes('fail') && hasSlot(own.slots, Number(slot))) return node;
    }
    throw new Error('No primary');
  }

  async function isWhole(): Promise<boolean> {
    const views = await Promise.all(nodes.map(readNodes));
    const replication = await Promise.all(nodes.map(replicationOf));
    const primaries = replication.filter(({ role }) => role === 'master');
    const states = await Promise.all(nodes.map(({ admin }) => admin.call('CLUSTER', 'INFO')));
    return (
      states.every((state) => String(state).includes('cluster_state:ok')) &&
      views.every((view) => view.length === nodes.length && view.every(({ flags }) => !/fail|handshake/.test(flags))) &&
      primaries.length === MASTERS &&
      replication.every(({ online }) => online > 0)
    );
  }

  const untilWhole = async (timeoutMs: number) =>
    void (await until(isWhole, { message: 'the cluster is whole', timeoutMs, pollMs: 100 }));

  return {
    url: `redis+cluster://${machines.map(({ address }) => `${address}:6379`).join(',')}`,
    minReplicas,
    // The others tell it at once that its slots are theirs.
    mayReturnTooEarly: false,
    restartsAfterClock: true,
    nodes,
    sentinels: [],
    async start() {
      for (const { program } of nodes) program.start();
      await join(nodes);
      await untilWhole(START_TIMEOUT_MS);
    },
    primary,
    untilWhole,
    /** A replica of the primary asks it to stop writes, catches up, and takes over. */
    async switchOver() {
      const old = await primary();
      const oldId = await idOf(old);
      const ownOf = async (node: RedisNode) => (await readNodes(node)).find(({ flags }) => flags.includes('myself'));
      const candidates = await Promise.all(nodes.map(async (node) => ({ node, own: await ownOf(node) })));
      const replica = candidates.find(({ own }) => own?.primaryId === oldId)?.node;
      if (!replica) throw new Error('The primary has no replica');
      const isSwitched = async () => (await replicationOf(replica)).role === 'master';
      const tryOnce = async () => {
        await replica.admin.call('CLUSTER', 'FAILOVER');
        return until(isSwitched, { timeoutMs: SWITCH_MS }).catch(() => false);
      };
      await until(tryOnce, { message: 'the replica is the primary', timeoutMs: START_TIMEOUT_MS });
    },
    close() {
      for (const { admin } of nodes) admin.disconnect();
    },
  };
}

/** Each node meets all others, as gossip would take seconds. */
async function join(nodes: readonly RedisNode[]): Promise<void> {
  const options = { timeoutMs: START_TIMEOUT_MS, pollMs: 50 };
  const ids = await Promise.all(nodes.map((node) => until(() => idOf(node), options)));
  for (const [at, { admin }] of nodes.entries()) await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  const first = (part: number) => Math.round((part * SLOTS) / MASTERS);
  for (const [at, { admin }] of nodes.entries()) {
    for (const { machine } of nodes) await admin.call('CLUSTER', 'MEET', machine.address, 6379);
    if (at < MASTERS) await admin.call('CLUSTER', 'ADDSLOTSRANGE', first(at), first(at + 1) - 1);
  }
  for (const [at, { admin }] of nodes.entries()) {
    if (at >= MASTERS) await until(() => admin.call('CLUSTER', 'REPLICATE', String(ids[at % MASTERS])), options);
  }
}

async function idOf({ admin }: RedisNode): Promise<string> {
  return String(await admin.call('CLUSTER', 'MYID'));
}

async function firstAnswer<T>(nodes: readonly RedisNode[], ask: (node: RedisNode) => Promise<T>): Promise<T> {
  return Promise.any(nodes.map(ask));
}

interface View {
  flags: string;
  primaryId: string;
  slots: string[];
}

/** The lines of CLUSTER NODES; none while the node does not answer. */
async function readNodes({ admin }: RedisNode): Promise<View[]> {
  const text = await admin.call('CLUSTER', 'NODES').catch(() => '');
  const lines = String(text).split('\n').filter(Boolean);
  return lines.map((line) => {
    const [, , flags = '', primaryId = '', , , , , ...slots] = line.split(' ');
    return { flags, primaryId, slots };
  });
}

function hasSlot(ranges: readonly string[], slot: number): boolean {
  return ranges.some((range) => {
    const [from = '', to = from] = range.split('-');
    return slot >= Number(from) && slot <= Number(to);
  });
}
