import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../harness/api.ts';
import type { Random } from '../../histories/random.ts';
import type { Client } from './client.ts';
import type { SentResult } from './ledger.ts';

/** The type of the agents whose tasks these workers do. */
export const WORKED_TYPE = 'gemini';
const LEASE_SECONDS = 5;
const WAIT_SECONDS = 2;
const PAUSE_MS = 300;
/** Tasks that a worker has at once. */
const SLOTS = 12;

const BEHAVIOURS = {
  complete: 62,
  progress: 15,
  fail: 10,
  release: 4,
  /** Never answers. */
  abandon: 3,
  /** Sends its result after the lease has expired. */
  late: 4,
  /** Works longer than a lease, with heartbeats. */
  long: 2,
};

/** Long enough that a late result of the lease before arrives meanwhile. */
const LATER_BEHAVIOURS = { ...BEHAVIOURS, long: 40 };

/** Leases tasks and does them in different ways, until it is over. */
export async function work(client: Client, random: Random, isOver: () => boolean): Promise<void> {
  const types = [WORKED_TYPE];
  const body = {
    worker_id: client.name,
    types,
    max_tasks: 3,
    wait_seconds: WAIT_SECONDS,
    lease_seconds: LEASE_SECONDS,
  };
  const running = new Set<Promise<void>>();
  while (!isOver()) {
    if (running.size > SLOTS) await Promise.race(running);
    // A lease whose response is lost expires.
    const response = await client.send('POST', '/leases', { body });
    if (response?.status === 201) {
      for (const lease of (response.json as { leases: Lease[] }).leases) {
        const handled = handle(client, random, lease);
        running.add(handled);
        // A rejection ends the worker below, or by the race.
        void handled.catch(() => {}).finally(() => running.delete(handled));
      }
    } else if (response?.status !== 204) {
      if (response && response.status < 500) client.ledger.violate(`POST /leases: ${response.status} ${response.text}`);
      await sleep(PAUSE_MS);
    }
  }
  await Promise.all(running);
}

async function handle(client: Client, random: Random, lease: Lease): Promise<void> {
  const behaviour = random.weighted(numberOf(lease.id) === 1 ? BEHAVIOURS : LATER_BEHAVIOURS);
  noteLease(client, lease);
  client.ledger.write(client.name, { lease: lease.id, op: lease.task.message, attempt: lease.attempt, behaviour });
  if (behaviour === 'abandon') return;
  if (behaviour === 'release') {
    await client.change('DELETE', `/leases/${lease.id}`, { headers: { 'x-lease-token': lease.token } });
    return;
  }
  if (behaviour === 'late') await sleep(LEASE_SECONDS * 1_000 + 1_500);
  if (behaviour === 'progress') await beat(client, lease, 50);
  if (behaviour === 'long') {
    for (let beats = 1; beats <= 5; beats++) {
      await sleep(1_500);
      if (!(await beat(client, lease, beats * 10))) return;
    }
  }
  await report(client, lease, behaviour === 'fail' ? 'failed' : 'completed');
}

/** Responses of two leases of a task may arrive in another order. */
function noteLease({ ledger }: Client, { id, task }: Lease): void {
  const before = ledger.lastLeases.get(task.id);
  if (before === undefined || numberOf(before) < numberOf(id)) ledger.lastLeases.set(task.id, id);
}

/** The number of a lease within its task. */
export function numberOf(leaseId: string): number {
  return Number(leaseId.split('.').at(-1));
}

/** Returns whether the lease is still held. */
async function beat(client: Client, { id, token }: Lease, percent: number): Promise<boolean> {
  const body = { token, progress: { percent, message: 'Working' } };
  const { status, text } = await client.change('PUT', `/leases/${id}/heartbeat`, { body });
  if (![200, 404, 409].includes(status)) client.ledger.violate(`${id}: heartbeat ${status} ${text}`);
  return status === 200;
}

async function report(client: Client, lease: Lease, status: SentResult['status']): Promise<void> {
  const { ledger } = client;
  const { id, token, task, attempt } = lease;
  const lastLease = ledger.lastLeases.get(task.id);
  const sent: SentResult = { taskId: task.id, leaseId: id, attempt, status, answer: 'unknown', lastLease };
  ledger.results.push(sent);
  const outcome =
    status === 'completed'
      ? { result: { by: id } }
      : { error: { code: 'flaky', message: 'Try again', retryable: true } };
  const response = await client.change('PUT', `/leases/${id}/result`, { body: { token, status, ...outcome } });
  if (response.status === 200) sent.answer = 'accepted';
  else if (response.status === 409 || response.status === 404) sent.answer = 'refused';
  else ledger.violate(`${id}: result ${response.status} ${response.text}`);
}
