import { until } from '@agent-fleet/shared/testing/until';
import { createAgent, listAgentIds, loadDuring, type Target } from './load.ts';
import type { Stack } from './stack.ts';
import { requireAll, requireNone } from './under-load.ts';

const READY_TIMEOUT_MS = 30_000;
const PROMOTED_TIMEOUT_MS = 30_000;
/** After the promotion. */
const WRITABLE_TIMEOUT_MS = 10_000;
const FAILED_READS_SHARE = 0.001;
/** Of all keys of agents and tasks. */
const HASH_TAG = '{default}';

/** Several servers of Redis, each a service of a stack. */
interface Servers {
  /** Whether one can be lost. */
  areComplete(): Promise<boolean>;
  /** The service of the primary with the agents. */
  findPrimary(): Promise<string>;
}

/** Those of compose.sentinel.yml. */
export function sentinels(stack: Stack): Servers {
  const askServer = askServers(stack);
  const ask = (sentinel: string, question: string) => askServer(sentinel, `26379 SENTINEL ${question} mymaster`);
  return {
    areComplete: async () => {
      const known = ['sentinel-1', 'sentinel-2', 'sentinel-3'].map((sentinel) => ask(sentinel, 'MASTER'));
      return (await Promise.all(known)).every((master) => master.includes('num-slaves\n2\n'));
    },
    findPrimary: async () => (await ask('sentinel-1', 'GET-MASTER-ADDR-BY-NAME')).split('\n', 1)[0] ?? '',
  };
}

/** Those of compose.cluster.yml. */
export function clusterServers(stack: Stack): Servers {
  const names = ['redis', ...[2, 3, 4, 5, 6, 7].map((number) => `redis-${number}`)];
  const askServer = askServers(stack);
  const ask = (name: string, command: string) => askServer(name, `6379 CLUSTER ${command}`);
  const namesById = new Map<string, string>();
  /** As the last server sees them, which is a replica at first: id, address, flags, primary, four more, slots. */
  const readNodes = async () => {
    const lines = (await ask('redis-7', 'NODES')).trim().split('\n');
    return lines.map((line) => {
      const [id = '', , flags = '', primary = '', , , , , ...slots] = line.split(' ');
      return { id, flags: flags.split(','), primary, slots: slots.map((range) => range.split('-').map(Number)) };
    });
  };
  return {
    areComplete: async () => {
      const nodes = await readNodes();
      const primaries = nodes.filter(({ slots }) => slots.length > 0);
      const isSound = ({ flags }: { flags: string[] }) => !/fail|handshake|noaddr/.test(flags.join());
      const hasReplica = ({ id }: { id: string }) => nodes.some(({ primary }) => primary === id);
      const counts = [nodes.filter(isSound).length, primaries.filter(hasReplica).length];
      if (counts.join() !== `${names.length},3`) return false;
      for (const name of names) namesById.set((await ask(name, 'MYID')).trim(), name);
      return (await ask('redis-7', 'INFO')).includes('cluster_slots_assigned:16384');
    },
    findPrimary: async () => {
      const slot = Number(await ask('redis-7', `KEYSLOT '${HASH_TAG}'`));
      const holds = ([from = Number.NaN, to = from]: number[]) => from <= slot && slot <= to;
      const primary = (await readNodes()).find(({ slots, flags }) => slots.some(holds) && !flags.includes('fail'));
      return namesById.get(primary?.id ?? '') ?? '';
    },
  };
}

/**
 * Kills the primary while agents are created and read. @throws if an acknowledged agent is lost, creations fail for
 * longer than 10 s after the promotion, or more than 0.1 % of the reads fail
 */
export async function killPrimary(stack: Stack, servers: Servers, target: Target): Promise<string> {
  const areComplete = () => servers.areComplete();
  await until(areComplete, { message: 'the servers are complete', timeoutMs: READY_TIMEOUT_MS, pollMs: 500 });
  let seen = '';
  const { reads, failedReads, slowestReadMs, created } = await loadDuring(target, async () => {
    seen = await failOver(stack, servers, target);
  });
  if (failedReads.length > reads * FAILED_READS_SHARE) requireNone(failedReads, `of ${reads} reads failed`);
  requireAll(created, await listAgentIds(target));
  return `${seen}; ${created.length} agents; ${failedReads.length} of ${reads} reads failed, slowest ${slowestReadMs} ms`;
}

async function failOver(stack: Stack, servers: Servers, target: Target): Promise<string> {
  const killed = await servers.findPrimary();
  const [container = ''] = await stack.replicas(killed);
  const killedAt = Date.now();
  await stack.kill(container);
  const isReplaced = async () => ![killed, ''].includes(await servers.findPrimary());
  await until(isReplaced, { message: 'a replica is promoted', timeoutMs: PROMOTED_TIMEOUT_MS, pollMs: 100 });
  const promotedAt = Date.now();
  await until(() => createAgent(target), { message: 'writes succeed again', timeoutMs: WRITABLE_TIMEOUT_MS });
  const writableMs = Date.now() - promotedAt;
  await stack.waitHealthy(killed, 1);
  return `promoted after ${promotedAt - killedAt} ms, writes succeeded ${writableMs} ms later`;
}

/** Asks servers in their containers. A question is a port and a command. */
function askServers(stack: Stack) {
  const containers = new Map<string, string>();
  return async (service: string, question: string): Promise<string> => {
    const id = containers.get(service) ?? (await stack.replicas(service))[0] ?? '';
    containers.set(service, id);
    return stack.exec(id, ['sh', '-c', `. /redis/servers.sh; ask 127.0.0.1 ${question}`]);
  };
}
