import { CONNECTIONS, type Figures, type LoadGenerator, type LoadRequest } from '../load/load.ts';
import { type MeteredFigures, meter, type Rounds } from '../load/metered.ts';
import { alternate, type Contestant } from '../load/rounds.ts';
import type { Stage } from '../stage/stage.ts';
import { createClient } from './client.ts';
import type { MeasuredFleet } from './fleet.ts';
import { startSystems, type Target, type TaskSystem } from './task-systems.ts';

const SECONDS = 2;
const ROUNDS = 7;
/** Create, lease and result. */
const REQUESTS_PER_LIFE = 3;
const RESULT = '{"token":"{token}","status":"completed","result":{"notes":"Done"}}';

/** Creating a task; or its life: creating, leasing and completing it. */
export type TaskWork = 'create' | 'life';

export interface TaskResults {
  /** Figures of tasks, with the processor time of the process and its store together. */
  figures: Map<`${TaskWork} ${TaskSystem}`, MeteredFigures>;
  rounds: Rounds;
}

/**
 * How many tasks per second of processor time does one agents process create, and how many live there from creation to
 * completion, beside the same without our features on other queues? A load generator asks each process directly.
 */
export async function measureTasks(stage: Stage, fleet: MeasuredFleet, generator: LoadGenerator): Promise<TaskResults> {
  const targets = [...(await startSystems(stage, fleet))];
  const bare = createClient(targets.find(([name]) => name === 'bullmq')?.[1].port ?? 0, {}, stage.signal);

  async function load(work: TaskWork, name: TaskSystem, target: Target): Promise<Figures> {
    if (name === 'bullmq') return bare.send({ path: `/${work}?inFlight=${CONNECTIONS}&seconds=${SECONDS}` });
    const { port, create } = target;
    const requests = work === 'life' ? toLives(target) : create;
    const figures = await generator.load({ port, requests, seconds: SECONDS });
    const count = work === 'life' ? REQUESTS_PER_LIFE : 1;
    return { ...figures, requests: figures.requests / count, perSecond: figures.perSecond / count };
  }

  const rounds: Rounds = { rounds: 0, disturbed: 0 };
  const toContestant = (work: TaskWork, name: TaskSystem, target: Target) => ({
    name: `${work} ${name}` as const,
    run: () => meter(stage, target.parts, () => load(work, name, target), rounds),
  });
  // Lives come after the creations that leave tasks for them: two requests of a life may arrive in another order.
  const contestants: Contestant<`${TaskWork} ${TaskSystem}`, MeteredFigures>[] = [
    ...targets.map(([name, target]) => toContestant('create', name, target)),
    ...targets.filter(([, { lease }]) => lease).map(([name, target]) => toContestant('life', name, target)),
  ];
  const figures = await alternate(contestants, ROUNDS);
  bare.close();
  return { figures, rounds };
}

/** A lease after each creation, with its result. */
function toLives({ create, lease }: Target): LoadRequest[] {
  if (!lease) throw new Error('Nothing can be leased');
  const follower: LoadRequest = { ...lease, method: 'PUT', path: '/leases/{id}/result', body: RESULT, status: 200 };
  return create.flatMap((request) => [request, { ...lease, follower }]);
}
