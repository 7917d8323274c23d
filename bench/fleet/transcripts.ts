import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../gateway/gateway-process.ts';
import { createTimes } from '../load/times.ts';
import type { Stage } from '../stage/stage.ts';
import { createClient, repeat } from './client.ts';
import { createAgents, createTasks, type Lease } from './fill.ts';
import type { MeasuredFleet } from './fleet.ts';

export const FOLLOWED = 1_000;
export const ENTRIES_PER_SECOND = 20;
export const SPOKEN = 20;
/** One less than a task may send, so that no jitter makes one too many. */
export const DELTAS_PER_SECOND = 9;
const MEASURE_SECONDS = 10;
const WIDTH = 16;
const LEASE_SECONDS = 300;
/** For what is still on its way after the last request. */
const REST_MS = 2_000;

export interface Followed {
  sent: number;
  received: number;
  p50Ms: number;
  p99Ms: number;
}

export interface Transcripts {
  deltas: Followed;
  entries: Followed;
  /** Of the agents process while entries are written, in percent of one core. */
  percent: number;
}

/**
 * How long do live text and log entries take from a worker to those who follow the transcripts, through one gateway and
 * one agents process? From before the request of the worker until the follower has the event. This process is all
 * workers and all followers.
 */
export async function measureTranscripts(stage: Stage, { bearer, startAgents }: MeasuredFleet): Promise<Transcripts> {
  const name = 'transcripts';
  const agents = await startAgents(name, { MAX_STREAMS_PER_PRINCIPAL: String(2 * FOLLOWED) });
  const port = await startGateway(stage, `${name}-gateway`, { agents });
  const client = createClient(port, bearer, stage.signal);
  const agentIds = await createAgents(client, 1, 'gpt');
  const agentPath = `/agents/${agentIds[0]}`;
  await createTasks(client, agentIds, FOLLOWED);
  const leases = await repeat(FOLLOWED, WIDTH, async () => {
    const body = JSON.stringify({ worker_id: 'worker-1', lease_seconds: LEASE_SECONDS });
    const request = { method: 'POST' as const, path: `${agentPath}/leases`, body, status: 201 };
    return (await client.send<{ leases: [Lease] }>(request)).leases[0];
  });

  /** Each lease sends once in `everyMs`; each of its texts is the time at which it was sent. */
  async function measure(followed: Lease[], everyMs: number, send: (lease: Lease) => Promise<number>) {
    const times = createTimes();
    let received = 0;
    const followers = await repeat(followed.length, WIDTH, (at) =>
      follow(port, bearer, followed[at] as Lease, (text) => {
        received++;
        times.add(performance.now() - Number(text));
      }),
    );
    const until = performance.now() + MEASURE_SECONDS * 1_000;
    const sent = await Promise.all(
      followed.map(async (lease, at) => {
        let count = 0;
        let next = performance.now() + (at / followed.length) * everyMs;
        for (; next < until; next = Math.max(next + everyMs, performance.now())) {
          await sleep(Math.max(next - performance.now(), 0));
          count += await send(lease);
        }
        return count;
      }),
    );
    await sleep(REST_MS);
    for (const follower of followers) follower.destroy();
    return { sent: sent.reduce((sum, count) => sum + count, 0), received, ...times.figures() };
  }

  const deltas = await measure(leases.slice(0, SPOKEN), 1_000 / DELTAS_PER_SECOND, async ({ id, token }) => {
    const body = JSON.stringify({ token, text: String(performance.now()) });
    await client.send({ method: 'POST', path: `/leases/${id}/deltas`, body, status: 204 });
    return 1;
  });
  const before = await stage.processorSeconds(name);
  const entries = await measure(leases, 1_000, async ({ id, token }) => {
    const text = String(performance.now());
    const body = JSON.stringify({ token, entries: Array.from({ length: ENTRIES_PER_SECOND }, () => ({ text })) });
    await client.send({ method: 'POST', path: `/leases/${id}/log-entries`, body, status: 204 });
    return ENTRIES_PER_SECOND;
  });
  const seconds = (await stage.processorSeconds(name)) - before;
  await client.send({ method: 'DELETE', path: agentPath, status: 204 });
  client.close();
  return { deltas, entries, percent: (seconds / MEASURE_SECONDS) * 100 };
}

/** Reads the texts of the log stream of a task. Resolves when the stream is open. */
function follow(
  port: number,
  bearer: Record<string, string>,
  { task }: Lease,
  onText: (text: string) => void,
): Promise<IncomingMessage> {
  const path = `/agents/${task.agent_id}/tasks/${task.id}/log-entries`;
  const headers = { ...bearer, accept: 'text/event-stream' };
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`GET ${path}: ${response.statusCode}`));
      createInterface(response).on('line', (line) => {
        if (line.startsWith('data: ')) onText((JSON.parse(line.slice('data: '.length)) as { text: string }).text);
      });
      resolve(response);
    }).on('error', reject);
  });
}
