import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTimes } from '../load/times.ts';
import type { Stage } from '../stage/stage.ts';
import { createAgents, createTasks, type Lease } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

const WORKERS = 50;
const FOLLOWERS = 20;
const LINES = 10;
const EVERY_MS = 250;
const WARM_UP_MS = 3_000;
const MEASURE_MS = 20_000;
const PART_NAMES = ['gateway', 'agents', 'redis'] as const;

export interface LogEntriesResults {
  workers: number;
  followers: number;
  linesPerSecond: number;
  /** From just before a batch is sent until a follower has one of its lines. */
  delay: { p50Ms: number; p99Ms: number };
  /** Percent of one core. */
  percents: Map<string, number>;
}

/** How long do lines of many workers take, through the gateway, until a client that follows the log has them? */
export async function measureLogEntries(stage: Stage, fleet: MeasuredFleet): Promise<LogEntriesResults> {
  const client = fleet.clients.gateway;
  const [agent = ''] = await createAgents(client, 1, 'gpt');
  await createTasks(client, [agent], WORKERS);
  const leases: Lease[] = [];
  while (leases.length < WORKERS) {
    const body = JSON.stringify({ worker_id: 'worker-1', max_tasks: 20, lease_seconds: 900 });
    const path = `/agents/${agent}/leases`;
    leases.push(...(await client.send<{ leases: Lease[] }>({ method: 'POST', path, body, status: 201 })).leases);
  }
  const times = createTimes();
  let measured = false;
  let lines = 0;
  const abort = new AbortController();
  const followed = leases.slice(0, FOLLOWERS).map(async ({ task }) => {
    const path = `/agents/${task.agent_id}/tasks/${task.id}/log-entries`;
    for await (const text of follow(fleet, path, abort.signal))
      if (measured) times.add(performance.now() - Number(text));
  });

  async function work({ id, token }: Lease, at: number): Promise<void> {
    const body = () => {
      const entries = Array.from({ length: LINES }, () => ({
        stream: 'stdout',
        text: `${performance.now()}`.padEnd(100),
      }));
      return JSON.stringify({ token, entries });
    };
    let due = performance.now() + (at / WORKERS) * EVERY_MS;
    for (; !abort.signal.aborted; due += EVERY_MS) {
      await sleep(Math.max(0, due - performance.now()));
      await client.send({ method: 'POST', path: `/leases/${id}/log-entries`, body: body(), status: 204 });
      if (measured) lines += LINES;
    }
  }

  const working = leases.map(work);
  await Promise.race([sleep(WARM_UP_MS), ...working, ...followed]);
  const before = await Promise.all(PART_NAMES.map((name) => stage.processorTimes([name])));
  const began = performance.now();
  measured = true;
  await Promise.race([sleep(MEASURE_MS), ...working, ...followed]);
  measured = false;
  const seconds = (performance.now() - began) / 1_000;
  const after = await Promise.all(PART_NAMES.map((name) => stage.processorTimes([name])));
  abort.abort();
  await Promise.allSettled([...working, ...followed]);
  const percents = PART_NAMES.map((name, at): [string, number] => {
    const used = (after[at]?.parts ?? Number.NaN) - (before[at]?.parts ?? Number.NaN);
    return [name, (used / seconds) * 100];
  });
  const { p50Ms, p99Ms } = times.figures();
  return {
    workers: WORKERS,
    followers: FOLLOWERS,
    linesPerSecond: lines / seconds,
    delay: { p50Ms, p99Ms },
    percents: new Map(percents),
  };
}

/** Yields the texts of the entries of a log from its stream. */
async function* follow({ ports, bearer }: MeasuredFleet, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const headers = { ...bearer, accept: 'text/event-stream' };
  const response = await fetch(`http://127.0.0.1:${ports.gateway}${path}`, { headers, signal });
  if (!response.ok || !response.body) throw new Error(`GET ${path}: ${response.status}`);
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    if (line.startsWith('data: ')) yield (JSON.parse(line.slice('data: '.length)) as { text: string }).text;
  }
}
