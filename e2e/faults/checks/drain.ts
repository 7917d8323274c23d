import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '../../harness/api.ts';
import type { Client } from '../clients/client.ts';
import { WORKED_TYPE } from '../clients/workers.ts';

const POLL_MS = 500;

/** Longer than any lease or retry of the clients. */
const FAR_MS = 120_000;

/**
 * Waits until the workers have ended every task, and returns those that cannot end yet: the clock of a Redis was ahead
 * when it set their deadline. What else is left is found by the checks.
 */
export async function drain(client: Client, timeoutMs: number): Promise<Set<string>> {
  const mayWait = !client.ledger.clocks.since(Number.NEGATIVE_INFINITY);
  const isFar = (time: unknown) => mayWait && typeof time === 'string' && Date.parse(time) > Date.now() + FAR_MS;
  for (const deadline = Date.now() + timeoutMs; ; await sleep(POLL_MS)) {
    const open = await client.get<Task[]>(`/tasks?type=${WORKED_TYPE}&status=pending,running&limit=1000`);
    const leases = await client.get<{ task_id: string; expires_at: string }[]>('/leases?limit=1000');
    const waiting = new Set([
      ...leases.filter(({ expires_at }) => isFar(expires_at)).map(({ task_id }) => task_id),
      ...open.filter(({ next_attempt_at }) => isFar(next_attempt_at)).map(({ id }) => id),
    ]);
    if (open.every(({ id }) => waiting.has(id)) || Date.now() > deadline) return waiting;
  }
}
