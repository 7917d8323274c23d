import { type Client, createClient, repeat } from '../fleet/client.ts';
import { createAgents } from '../fleet/fill.ts';
import type { MeasuredFleet } from '../fleet/fleet.ts';
import { median } from '../load/rounds.ts';
import { createRandom, integer, type Random, zipfRank } from '../registry/synthetic/random.ts';
import type { Stage } from '../stage/stage.ts';

const AGENTS = 1_000;
const TASKS = 2_000;
const ROUNDS = 3;
/** Requests in flight at each replica. */
const WIDTH = 8;
const REPLICAS = 3;
const SEED = 21;
const TRIES = 100;

/** How tasks spread over agents: evenly; by Zipf's law, the second gets half of what the first gets; all to one. */
export const SKEWS = ['even', 'zipf', 'one'] as const;
export type Skew = (typeof SKEWS)[number];

export interface HotCost {
  tasksPerSecond: number;
  /** Processor time for a task that is created, leased and completed. */
  agentsUs: number;
  redisUs: number;
}

/** What does a task cost when a few agents get most of them, and three replicas lease for them? */
export async function measureHotAgents(stage: Stage, fleet: MeasuredFleet): Promise<Map<Skew, HotCost>> {
  const names = Array.from({ length: REPLICAS }, (_, at) => `hot-${at}`);
  const prefix = { REDIS_PREFIX: 'hot' };
  const ports = await Promise.all(names.map((name) => fleet.startAgents(name, prefix)));
  const clients = ports.map((port) => createClient(port, fleet.internal, stage.signal));
  const agents = await createAgents(clients[0] as Client, AGENTS, 'gpt');
  const costs = new Map<Skew, HotCost[]>(SKEWS.map((skew) => [skew, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const skew of SKEWS) {
      const cost = await measure(stage, names, () => liveTasks(clients, agents, skew));
      if (round > 0) costs.get(skew)?.push(cost);
    }
  }
  for (const client of clients) client.close();
  return new Map([...costs].map(([skew, found]) => [skew, toMedian(found)]));
}

/** Creates, leases and completes tasks at all replicas. */
async function liveTasks(clients: Client[], agents: string[], skew: Skew): Promise<void> {
  const random = createRandom(SEED);
  await repeat(TASKS, WIDTH * clients.length, async (at) => {
    const client = clients[at % clients.length] as Client;
    const post = <Body>(path: string, body: object) =>
      client.send<Body>({ method: 'POST', path, body: JSON.stringify(body), status: 201 });
    await post(`/agents/${agents[chooseAgent(random, agents.length, skew)]}/tasks`, {
      message: `Summarise release ${at}`,
    });
    const { leases } = await post<{ leases: { id: string; token: string }[] }>('/leases', {
      worker_id: `worker-${at % WIDTH}`,
      types: ['gpt'],
      wait_seconds: 5,
    });
    const [{ id, token } = { id: '', token: '' }] = leases;
    await client.send({
      method: 'PUT',
      path: `/leases/${id}/result`,
      body: JSON.stringify({ token, status: 'completed' }),
    });
  });
}

async function measure(stage: Stage, names: string[], run: () => Promise<void>): Promise<HotCost> {
  const times = async () => [(await stage.processorTimes(names)).parts, (await stage.processorTimes(['redis'])).parts];
  const [agentsBefore = 0, redisBefore = 0] = await times();
  const began = performance.now();
  await run();
  const tasksPerSecond = (TASKS / (performance.now() - began)) * 1_000;
  const [agents = 0, redis = 0] = await times();
  const perTask = (seconds: number) => (seconds / TASKS) * 1e6;
  return { tasksPerSecond, agentsUs: perTask(agents - agentsBefore), redisUs: perTask(redis - redisBefore) };
}

function toMedian(costs: HotCost[]): HotCost {
  const of = (name: keyof HotCost) => median(costs.map((cost) => cost[name]));
  return { tasksPerSecond: of('tasksPerSecond'), agentsUs: of('agentsUs'), redisUs: of('redisUs') };
}

/** Chooses the agent of a task. */
function chooseAgent(random: Random, count: number, skew: Skew): number {
  if (skew === 'one') return 0;
  return skew === 'even' ? integer(random, 0, count - 1) : zipfRank(random, count, 1);
}

/**
 * The share of the tasks on the busiest of `nodes` if each agent were on a node by the slot of its id, as slots of ids
 * are like random numbers: the mean of many tries.
 */
export function busiestShare(agents: number, skew: Skew, nodes: number): number {
  const random = createRandom(SEED);
  const weights = Array.from(
    { length: agents },
    (_, at) => ({ even: 1, zipf: 1 / (at + 1), one: Number(at === 0) })[skew],
  );
  const sum = weights.reduce((all, weight) => all + weight);
  let shares = 0;
  for (let count = 0; count < TRIES; count++) {
    const loads = new Map<number, number>();
    for (const weight of weights) {
      const node = integer(random, 0, nodes - 1);
      loads.set(node, (loads.get(node) ?? 0) + weight);
    }
    shares += Math.max(...loads.values()) / sum;
  }
  return shares / TRIES;
}
