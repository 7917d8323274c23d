import { until } from '@agent-fleet/shared/testing/until';
import { createAgent, listAgentIds, loadDuring, type Target } from './load.ts';
import type { Stack } from './stack.ts';
import { requireAll, requireNone } from './under-load.ts';

const READY_TIMEOUT_MS = 30_000;
const PROMOTED_TIMEOUT_MS = 30_000;
/** After the promotion. */
const WRITABLE_TIMEOUT_MS = 10_000;
const FAILED_READS_SHARE = 0.001;

/** Asks the sentinels of compose.sentinel.yml. */
function sentinels(stack: Stack) {
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

/**
 * Kills the primary while agents are created and read. @throws if an acknowledged agent is lost, creations fail for
 * longer than 10 s after the promotion, or more than 0.1 % of the reads fail
 */
export async function killPrimary(stack: Stack, target: Target): Promise<string> {
  const servers = sentinels(stack);
  await until(servers.areComplete, { message: 'the servers are complete', timeoutMs: READY_TIMEOUT_MS, pollMs: 500 });
  let seen = '';
  const { reads, failedReads, slowestReadMs, created } = await loadDuring(target, async () => {
    seen = await failOver(stack, servers.findPrimary, target);
  });
  if (failedReads.length > reads * FAILED_READS_SHARE) requireNone(failedReads, `of ${reads} reads failed`);
  requireAll(created, await listAgentIds(target));
  return `${seen}; ${created.length} agents; ${failedReads.length} of ${reads} reads failed, slowest ${slowestReadMs} ms`;
}

async function failOver(stack: Stack, findPrimary: () => Promise<string>, target: Target): Promise<string> {
  const killed = await findPrimary();
  const [container = ''] = await stack.replicas(killed);
  const killedAt = Date.now();
  await stack.kill(container);
  const isReplaced = async () => ![killed, ''].includes(await findPrimary());
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
