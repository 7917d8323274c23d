import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/services';
import { CONNECTIONS, type Figures, type LoadGenerator, type LoadRequest } from '../load/load.ts';
import { alternate, type Contestant } from '../load/rounds.ts';
import type { Stage } from '../stage/stage.ts';
import { createClient } from './client.ts';
import { createAgents, createTasks } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

const SECONDS = 2;
const ROUNDS = 7;
/** Tasks that are queued at the start. Each round creates more tasks than it finishes. */
const RESERVE = 20_000;

const BATCH = 100;
const TASK = '{"message":"Summarise the release"}';

/** Each operation of the service with the comparable operation of the peer (`bare`). */
export const TASK_WORK = {
  add: { what: 'create a task', peer: '`add`', bare: 'add', aim: 0.35 },
  batch: { what: `create a task, ${BATCH} by one request`, peer: '`add`', bare: 'add', aim: 0.35 },
  finish: {
    what: 'lease it and report its result',
    peer: '`getNextJob` + `moveToCompleted`',
    bare: 'finish',
    aim: 0.35,
  },
} as const;

export type TaskWork = `${`agents ${keyof typeof TASK_WORK}` | `bullmq ${'add' | 'finish'}`} ${'one' | 'many'}`;

/**
 * How many tasks per second does one agents process create, lease and finish over HTTP, compared with the same work on
 * bare BullMQ in a process that does nothing else? Both have the same Redis, Node version, flags, message, priority and
 * number in flight. `one` uses one agent or queue; `many` uses all agents of the fleet, or as many queues, in turn.
 */
export async function measureTasks(
  stage: Stage,
  fleet: MeasuredFleet,
  generator: LoadGenerator,
): Promise<Map<TaskWork, Figures>> {
  const port = fleet.ports.agents;
  const env = { REDIS_URL: stage.redisUrl, ...NODE_ENVIRONMENT };
  const bullmq = await stage.startNode('bullmq', 'bench/peers/bullmq.ts', env, { path: '/' }, NODE_FLAGS);
  const peer = createClient(bullmq, {}, stage.signal);
  const one = await createReserve(fleet);
  const many = fleet.agentIds;

  const post = (path: string, body: string): LoadRequest => {
    const headers = { ...fleet.internal, 'content-type': 'application/json' };
    return { method: 'POST', path, headers, body, status: 201 };
  };
  const report: LoadRequest = {
    ...post('/leases/{id}/result', '{"token":"{token}","status":"completed","result":{"notes":"Done"}}'),
    method: 'PUT',
  };
  const create = (id: string) => post(`/agents/${id}/tasks`, TASK);
  const createBatch = (id: string) => post(`/agents/${id}/task-batches`, `{"tasks":[${Array(BATCH).fill(TASK)}]}`);
  const load = (requests: LoadRequest[], follower?: LoadRequest) => () =>
    generator.load({ port, requests, follower, seconds: SECONDS });
  const loadBatches = (ids: string[]) => async () => {
    const figures = await load(ids.map(createBatch))();
    return { ...figures, perSecond: BATCH * figures.perSecond };
  };
  const bare = (operation: string, queues: number) => () =>
    peer.send<Figures>({
      path: `/${operation}?queues=${queues}&inFlight=${CONNECTIONS}&seconds=${SECONDS}`,
    });

  const contestants: Contestant<TaskWork>[] = [
    { name: 'agents add one', run: load([create(one)]) },
    { name: 'bullmq add one', run: bare('add', 1) },
    { name: 'agents batch one', run: loadBatches([one]) },
    { name: 'agents finish one', run: load([post(`/agents/${one}/leases`, '{"worker_id":"worker-1"}')], report) },
    { name: 'bullmq finish one', run: bare('finish', 1) },
    { name: 'agents add many', run: load(many.map(create)) },
    { name: 'bullmq add many', run: bare('add', many.length) },
    { name: 'agents batch many', run: loadBatches(many) },
    { name: 'agents finish many', run: load([post('/leases', '{"worker_id":"worker-1","types":["claude"]}')], report) },
    { name: 'bullmq finish many', run: bare('finish', many.length) },
  ];
  const figures = await alternate(contestants, ROUNDS);
  peer.close();
  return figures;
}

/**
 * Creates an agent of a type that the fleet does not use, so that a lease by type never takes its tasks; returns its
 * id.
 */
async function createReserve({ clients, agentIds }: MeasuredFleet): Promise<string> {
  const [one = ''] = await createAgents(clients.agents, 1, 'gpt');
  await createTasks(clients.agents, [one], RESERVE);
  await createTasks(clients.agents, agentIds, RESERVE / agentIds.length);
  return one;
}
