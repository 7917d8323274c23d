import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { createAgent, listAgentIds, loadDuring, type Target } from './load.ts';
import type { Stack } from './stack.ts';
import { PAUSE_MS, requireAll, requireNone } from './under-load.ts';

const SENTINELS = ['sentinel-1', 'sentinel-2', 'sentinel-3'];
const REPLICAS_KNOWN = 'num-slaves\n2\n';
const KNOWN_TIMEOUT_MS = 30_000;
const PROMOTED_TIMEOUT_MS = 30_000;
/** After the promotion. */
const WRITABLE_TIMEOUT_MS = 10_000;
const FAILED_READS_SHARE = 0.001;

/**
 * Kills the primary of a Redis with sentinels while agents are created and read. @throws if an acknowledged agent is
 * lost, creations fail for longer than 10 s after the promotion, or more than 0.1 % of the reads fail
 */
export async function killPrimary(stack: Stack, target: Target): Promise<string> {
  for (const sentinel of SENTINELS) {
    const isReady = async () => (await ask(stack, sentinel, 'MASTER')).includes(REPLICAS_KNOWN);
    await until(isReady, { message: `${sentinel} knows all replicas`, timeoutMs: KNOWN_TIMEOUT_MS, pollMs: 500 });
  }
  let seen = '';
  const { reads, failedReads, slowestReadMs, created } = await loadDuring(target, async () => {
    await sleep(PAUSE_MS);
    seen = await failOver(stack, target);
    await sleep(PAUSE_MS);
  });
  if (failedReads.length > reads * FAILED_READS_SHARE) requireNone(failedReads, `of ${reads} reads failed`);
  requireAll(created, await listAgentIds(target));
  return `${seen}; ${created.length} agents; ${failedReads.length} of ${reads} reads failed, slowest ${slowestReadMs} ms`;
}

async function failOver(stack: Stack, target: Target): Promise<string> {
  const killed = await primaryOf(stack);
  const [container = ''] = await stack.replicas(killed);
  const killedAt = Date.now();
  await stack.kill(container);
  await until(async () => (await primaryOf(stack)) !== killed, {
    message: 'a replica is promoted',
    timeoutMs: PROMOTED_TIMEOUT_MS,
    pollMs: 100,
  });
  const promotedAt = Date.now();
  await until(() => createAgent(target), { message: 'writes succeed again', timeoutMs: WRITABLE_TIMEOUT_MS });
  const writableMs = Date.now() - promotedAt;
  await stack.waitHealthy(killed, 1);
  return `promoted after ${promotedAt - killedAt} ms, writes succeeded ${writableMs} ms later`;
}

async function primaryOf(stack: Stack): Promise<string> {
  return (await ask(stack, 'sentinel-1', 'GET-MASTER-ADDR-BY-NAME')).split('\n', 1)[0] ?? '';
}

async function ask(stack: Stack, sentinel: string, question: string): Promise<string> {
  const [id = ''] = await stack.replicas(sentinel);
  return stack.exec(id, ['sh', '-c', `. /redis/servers.sh; ask 127.0.0.1 26379 SENTINEL ${question} mymaster`]);
}
