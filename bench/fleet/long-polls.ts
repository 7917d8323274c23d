import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage/stage.ts';
import { createClient } from './client.ts';
import type { MeasuredFleet } from './fleet.ts';

export const WORKERS = 1_000;
const WAIT_SECONDS = 30;
const PAUSE_MS = 5_000;
const MEASURE_MS = 10_000;

/** Resources of an agents process. */
interface Needs {
  /** Percent of one core. */
  percent: number;
  residentBytes: number;
}

export interface Waiting {
  idle: Needs;
  waiting: Needs;
}

/**
 * How much processor time and memory do waiting workers cost an agents process, compared with none? Each worker polls
 * again as soon as its wait ends.
 */
export async function measureWaiting(stage: Stage, fleet: MeasuredFleet): Promise<Waiting> {
  const name = 'waiting';
  const client = createClient(await fleet.startAgents(name), fleet.internal, stage.signal);
  await sleep(PAUSE_MS);
  const idle = await measureNeeds(stage, name);

  let closed = false;
  /** The first waits have different lengths, so that the polls are spread over time. */
  async function wait(at: number): Promise<void> {
    for (let seconds = 1 + (at % WAIT_SECONDS); !closed; seconds = WAIT_SECONDS) {
      const body = JSON.stringify({ worker_id: `worker-${at}`, types: ['gemini'], wait_seconds: seconds });
      await client.send({ method: 'POST', path: '/leases', body, status: 204 });
    }
  }
  const ended = Promise.all(Array.from({ length: WORKERS }, (_, at) => wait(at)));
  const measured = sleep(PAUSE_MS).then(() => measureNeeds(stage, name));
  // Until `closed` is true, `ended` can only reject.
  const waiting = await Promise.race([measured, ended.then(() => measured)]);
  closed = true;
  client.close();
  await ended.catch(() => {});
  return { idle, waiting };
}

async function measureNeeds(stage: Stage, name: string): Promise<Needs> {
  const before = await stage.processorSeconds(name);
  await sleep(MEASURE_MS);
  const seconds = (await stage.processorSeconds(name)) - before;
  return { percent: (seconds / MEASURE_MS) * 1_000 * 100, residentBytes: await stage.residentBytes(name) };
}
