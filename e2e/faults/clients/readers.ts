import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../histories/random.ts';
import type { Client } from './client.ts';

const EVERY_MS = 40;

/** Reads through the load balancer, until it is over. */
export async function read(client: Client, random: Random, isOver: () => boolean): Promise<void> {
  const { ledger } = client;
  const paths = [
    '/agents?limit=5',
    ...ledger.working.map(({ id }) => `/agents/${id}`),
    `/tasks?limit=5&agent_id=${ledger.working[0]?.id}`,
    '/api/skills?limit=3',
    '/api/categories',
  ];
  while (!isOver()) {
    const path = random.pick(paths) as string;
    const atMs = ledger.now();
    const response = await client.send('GET', path);
    const problem = response?.status === 200 ? undefined : `${path}: ${response?.status} ${response?.text}`;
    ledger.reads.push({ atMs, endMs: ledger.now(), ...(problem !== undefined && { problem }) });
    await sleep(EVERY_MS);
  }
}
