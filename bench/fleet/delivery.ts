import { setTimeout as sleep } from 'node:timers/promises';
import { createTimes } from '../load/times.ts';
import { createAgents } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

const SAMPLES = 500;
const WARM_UP = 100;
/** Pause between two tasks, in which the worker starts to wait again. */
const EVERY_MS = 50;

export interface Delivery {
  samples: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * How long does a task take to reach a waiting worker through the gateway, without other load? The time runs from just
 * before the request that creates the task until the worker has the whole response with its lease. This process sends
 * both requests.
 */
export async function measureDelivery({ clients }: MeasuredFleet): Promise<Delivery> {
  const client = clients.gateway;
  const [agent] = await createAgents(client, 1, 'gemini');
  const post = <Body>(path: string, body: object) =>
    client.send<Body>({ method: 'POST', path, body: JSON.stringify(body), status: 201 });

  async function lease() {
    const request = { worker_id: 'worker-1', types: ['gemini'], wait_seconds: 30 };
    const { leases } = await post<{ leases: [{ id: string; token: string }] }>('/leases', request);
    return { ...leases[0], at: performance.now() };
  }

  async function create(): Promise<number> {
    await sleep(EVERY_MS);
    const began = performance.now();
    await post(`/agents/${agent}/tasks`, { message: 'Summarise the release' });
    return began;
  }

  async function sample(): Promise<number> {
    const [{ id, token, at }, began] = await Promise.all([lease(), create()]);
    const body = JSON.stringify({ token, status: 'completed' });
    await client.send({ method: 'PUT', path: `/leases/${id}/result`, body });
    return at - began;
  }

  const times = createTimes();
  for (let at = 0; at < WARM_UP; at++) await sample();
  for (let at = 0; at < SAMPLES; at++) times.add(await sample());
  const { p50Ms, p99Ms } = times.figures();
  return { samples: SAMPLES, p50Ms, p99Ms };
}
