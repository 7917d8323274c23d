import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, Task } from '../harness/api.ts';
import { WorkerProgram } from '../harness/worker-program.ts';
import { listAgentIds, request, send, type Target } from './load.ts';
import { requireAll, requireNone, type Scene, SETTLE_MS } from './under-load.ts';

/** Redis syncs its append-only file every second. */
const SYNCED_MS = 1_500;
const BACK_TIMEOUT_MS = 90_000;
const BACK_ANSWERS = 50;
const OUTAGE_MS = 60_000;
/** To remove and to start everything takes up to a minute besides the outage itself. */
const LEASE_SECONDS = '600';
const FINISH_TIMEOUT_MS = 120_000;

/** Stops all replicas of a service, then starts them again. @throws when `path`, of another service, fails meanwhile */
export async function stopAll({ stack, target }: Scene, service: string, path: string): Promise<string> {
  const replicas = await stack.replicas(service);
  await stack.docker(['stop', '--time', '25', ...replicas]);
  try {
    const problems: string[] = [];
    for (const end = Date.now() + SETTLE_MS; Date.now() < end; ) {
      const { status, problem } = await request(target, path);
      if (status !== 200) problems.push(problem);
    }
    requireNone(problems, 'reads failed');
  } finally {
    await stack.docker(['start', ...replicas]);
  }
  await stack.waitHealthy(service, replicas.length);
  return `GET ${path} answered meanwhile`;
}

/** Kills Redis a moment after the last write. @throws when an agent is gone, or reads fail for longer than 90 s */
export async function killRedis({ stack, target }: Scene): Promise<string> {
  const before = await listAgentIds(target);
  await sleep(SYNCED_MS);
  const [redis = ''] = await stack.replicas('redis');
  const killed = Date.now();
  await stack.kill(redis);
  // Each replica reconnects on its own, so one answer is not enough.
  for (let inARow = 0; inARow < BACK_ANSWERS; ) {
    const { status, problem } = await request(target, '/agents?limit=1');
    inARow = status === 200 ? inARow + 1 : 0;
    if (Date.now() > killed + BACK_TIMEOUT_MS) throw new Error(`GET /agents is still ${problem}`);
    await sleep(20);
  }
  const backMs = Date.now() - killed;
  requireAll(before, await listAgentIds(target));
  return `${before.size} agents, reads answered again after ${(backMs / 1_000).toFixed(1)} s`;
}

/** Every container is removed for a minute, except the data, while the worker program has one task and another waits. */
export async function outliveAnOutage({ stack, target, scale }: Scene): Promise<string> {
  const { id } = await send<Agent>(target, '/agents', { name: 'Waits', type: 'claude' });
  const createTask = () => send<Task>(target, `/agents/${id}/tasks`, { message: 'Do it' });
  const [running, pending] = [await createTask(), await createTask()];
  const before = await listAgentIds(target);
  const worker = new WorkerProgram(target, ['--agent', id, '--lease-seconds', LEASE_SECONDS]);
  try {
    await worker.untilBegun(running.id);
    await stack.down();
    worker.letFinish(pending.id);
    await sleep(OUTAGE_MS / 2);
    worker.letFinish(running.id);
    await sleep(OUTAGE_MS / 2);
    await stack.up(scale);
    await stack.waitHealthy('load-balancer', 1);
    requireAll(before, await listAgentIds(target));
    for (const task of [running, pending]) await untilCompleted(target, task, worker);
    return `${before.size} agents, both tasks completed at their first attempt`;
  } finally {
    await worker.close();
  }
}

async function untilCompleted(target: Target, { agent_id, id }: Task, worker: WorkerProgram): Promise<void> {
  for (const deadline = Date.now() + FINISH_TIMEOUT_MS; ; await sleep(100)) {
    const { status: read, problem, text } = await request(target, `/agents/${agent_id}/tasks/${id}`);
    const { status, attempt } = (read === 200 ? JSON.parse(text) : {}) as Partial<Task>;
    if (status === 'completed' && attempt === 1) return;
    if (Date.now() > deadline || Number(attempt) > 1) throw new Error(`${problem}\nThe worker: ${worker.printed()}`);
  }
}
