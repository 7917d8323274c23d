import { setTimeout as sleep } from 'node:timers/promises';
import { loadConstantly } from '../load/constant-rate.ts';
import type { Stage } from '../stage/stage.ts';
import { repeat } from './client.ts';
import { createAgents, createTasks } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

const AGENTS = 100;
const TASKS_PER_AGENT = 1_000;
const OTHERS = { perSecond: 300, connections: 16, seconds: 10, whenBusy: 'wait' } as const;
const POLL_MS = 100;

export interface BulkResults {
  tasks: number;
  /** Requests a second that others send. */
  perSecond: number;
  quietP99Ms: number;
  busyP99Ms: number;
  /** From the request until the last task is cancelled. */
  seconds: number;
}

interface BulkAction {
  id: string;
  state: string;
  done: number;
}

/** How much later do other requests get their responses while a bulk action cancels very many tasks? */
export async function measureBulkAction(stage: Stage, fleet: MeasuredFleet): Promise<BulkResults> {
  const client = fleet.clients.agents;
  const agentIds = await createAgents(client, AGENTS, 'gemini');
  await createTasks(client, agentIds, TASKS_PER_AGENT);
  const request = { path: `/agents/${fleet.agentIds[0]}`, headers: fleet.bearer };
  const loadOthers = () => loadConstantly(stage, { port: fleet.ports.gateway, request, ...OTHERS });
  const quiet = await loadOthers();

  const tasks = AGENTS * TASKS_PER_AGENT;
  const body = JSON.stringify({ action: 'cancel', filter: { type: 'gemini', status: 'pending' } });
  const began = performance.now();
  const { id } = await client.send<BulkAction>({ method: 'POST', path: '/bulk-actions', body, status: 202 });
  const [busy, seconds] = await Promise.all([loadOthers(), untilEnded()]);
  await repeat(AGENTS, 4, (at) => client.send({ method: 'DELETE', path: `/agents/${agentIds[at]}`, status: 204 }));
  return { tasks, perSecond: OTHERS.perSecond, quietP99Ms: quiet.p99Ms, busyP99Ms: busy.p99Ms, seconds };

  async function untilEnded(): Promise<number> {
    for (;;) {
      const { state, done } = await client.send<BulkAction>({ path: `/bulk-actions/${id}` });
      if (state !== 'running' && done !== tasks)
        throw new Error(`The bulk action has changed ${done} of ${tasks} tasks`);
      if (state !== 'running') return (performance.now() - began) / 1_000;
      await sleep(POLL_MS);
    }
  }
}
