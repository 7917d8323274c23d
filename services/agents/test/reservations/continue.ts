import { expect } from '@jest/globals';
import type { Task } from '../../src/tasks/task.ts';
import { readClock } from '../database/snapshot.ts';
import type { Lease } from '../support/client.ts';
import type { StartedService } from '../support/start-service.ts';

/** A replica measures Redis' clock as exactly as half of a round trip. */
const OVERDUE_MS = 1_000;

/** Has a worker complete a task of the agent; returns the task. */
export async function runBy(service: StartedService, agentId: string, worker_id: string): Promise<string> {
  const { id } = await service.createTask(agentId, { priority: 1 });
  const { body } = await service.lease(agentId, { worker_id });
  expect(body.leases[0].task.id).toBe(id);
  await service.report(body.leases[0], { status: 'completed' }).expect(200);
  return id;
}

/** Creates a task that continues one that the worker ran. */
export async function createFor(service: StartedService, agentId: string, worker: string, fields: object = {}) {
  const continue_of = await runBy(service, agentId, worker);
  return (await service.createTask(agentId, { continue_of, ...fields })) as Task;
}

/** Moves the end of the reservation into the past, and triggers the timer of the task. */
export async function passReservation({ redis, keys }: StartedService, taskId: string): Promise<void> {
  const text = (await redis.get(keys.state(taskId))) as string;
  const now = await readClock(redis);
  const passed = text.replace(/"until":\d+/, `"until":${now - OVERDUE_MS}`);
  await redis.multi().set(keys.state(taskId), passed).zadd(keys.timers, now, taskId).exec();
}

/** The ids of the tasks of a reply to a lease request. */
export const idsIn = ({ body }: { body: { leases?: Lease[] } }) => (body.leases ?? []).map(({ task }) => task.id);
