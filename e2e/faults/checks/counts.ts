import type { Task } from '../../harness/api.ts';
import type { Client } from '../clients/client.ts';
import { WORKED_TYPE } from '../clients/workers.ts';

interface Stats {
  tasks: { total: number; by_status: Record<string, number>; by_type: Record<string, number> };
}

/** The statistics count what is stored. */
export async function checkCounts(client: Client, stored: readonly Task[]): Promise<void> {
  const { tasks } = await client.get<Stats>('/stats');
  const counts: Record<string, number> = {
    ...tasks.by_status,
    total: tasks.total,
    type: tasks.by_type[WORKED_TYPE] ?? 0,
  };
  const expected = { ...Object.fromEntries(Object.keys(tasks.by_status).map((status) => [status, 0])) };
  for (const { status } of stored) expected[status] = (expected[status] ?? 0) + 1;
  for (const [name, count] of Object.entries({ ...expected, total: stored.length, type: stored.length })) {
    if (counts[name] !== count)
      client.ledger.violate(`${count} tasks are stored as ${name}, and /stats has ${counts[name]}`);
  }
}
