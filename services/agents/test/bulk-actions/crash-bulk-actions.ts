import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { BulkAction } from '../../src/bulk-actions/contract.ts';
import type { Task } from '../../src/tasks/task.ts';
import { createAgents, createClient } from '../crash/load.ts';
import { checkDatabase } from '../database/check-database.ts';
import { readEntries } from '../database/snapshot.ts';
import { startReplicas } from '../support/replicas.ts';

const BATCH = 500;
const ENDED_WITHIN_MS = 120_000;
/** Kills while one action runs: after each, another replica continues within seconds. */
const KILLS = 3;
/** The event of a task's change. */
const EVENTS = { cancel: 'task.cancelled', delete: 'task.deleted' };

/**
 * Runs bulk actions while replicas and Redis are killed by SIGKILL at random moments, and checks that each matching
 * task has changed and is counted once. `tasks`: how many, per agent.
 */
export async function crashBulkActions(tasks: number, rounds: number): Promise<{ kills: number }> {
  const replicas = await startReplicas([0, 0]);
  const { redis, keys, ownRedis } = replicas;
  const client = createClient(replicas.ports);
  const { call } = client;
  let kills = 0;
  const agentIds = (await createAgents(client)).slice(0, 3);
  for (let round = 0; round < rounds; round++) {
    const tag = `round ${round}`;
    for (const agentId of agentIds) await createTasks(agentId, tag);
    const cancelled = await run('cancel', { tag, status: 'pending' });
    const retried = await run('retry', { tag, status: 'cancelled' });
    const deleted = await run('delete', { tag, status: 'cancelled' });
    const count = tasks * agentIds.length;
    for (const action of [cancelled, retried, deleted]) {
      expect(action).toMatchObject({ state: 'completed', matched: count, done: count, failed: 0, failures: [] });
    }
    const left = (await Promise.all(agentIds.map((id) => readTasks(id, tag)))).flat();
    expect(left.filter(({ status }) => status !== 'pending')).toEqual([]);
    expect(new Set(left.map(({ retry_of }) => retry_of)).size).toBe(count);
    expect(left).toHaveLength(count);
  }
  const changes = (await readEntries(redis, keys.events())).filter(({ y }) => Object.values(EVENTS).includes(`${y}`));
  expect(new Set(changes.map(({ y, t }) => `${y} ${t}`)).size).toBe(changes.length);
  expect(changes).toHaveLength(2 * tasks * agentIds.length * rounds);
  expect(await checkDatabase(redis, keys)).toEqual([]);
  return { kills };

  async function createTasks(agentId: string, tag: string): Promise<void> {
    for (let left = tasks; left > 0; left -= BATCH) {
      const body = { tasks: Array.from({ length: Math.min(left, BATCH) }, () => ({ message: 'x', tags: [tag] })) };
      await call({ method: 'POST', path: `/agents/${agentId}/task-batches`, body }, 201);
    }
  }

  async function run(action: string, filter: object): Promise<BulkAction> {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const post = { method: 'POST', path: '/bulk-actions', body: { action, filter }, headers };
    const { body } = await call<BulkAction>(post, 202);
    const read = async () => (await call<BulkAction>({ method: 'GET', path: `/bulk-actions/${body.id}` }, 200)).body;
    let found = await read();
    let killsOfRun = 0;
    for (
      const end = Date.now() + ENDED_WITHIN_MS;
      found.state === 'running' && Date.now() < end;
      found = await read()
    ) {
      await sleep(Math.random() * 400);
      if (killsOfRun++ < KILLS) await killOne();
    }
    return found;
  }

  /** Kills a replica or Redis, and starts it again. */
  async function killOne(): Promise<void> {
    const at = kills++ % 3;
    if (at === 2) {
      await ownRedis.kill();
      await ownRedis.restart();
    } else {
      await replicas.kill(at);
      await replicas.start(at);
    }
  }

  async function readTasks(agentId: string, tag: string): Promise<Task[]> {
    const found: Task[] = [];
    for (;;) {
      const query = new URLSearchParams({ agent_id: agentId, tag, limit: '1000', skip: String(found.length) });
      const { body } = await call<Task[]>({ method: 'GET', path: `/tasks?${query}` }, 200);
      found.push(...body);
      if (body.length === 0) return found;
    }
  }
}
