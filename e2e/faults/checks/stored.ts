import type { Task } from '../../harness/api.ts';
import type { FleetEvent } from '../../harness/event-stream.ts';
import type { Client } from '../clients/client.ts';

const PAGE = 1_000;

/** Every task of an agent, page by page; notes it when the total is another. */
export async function listTasks(client: Client, agentId: string): Promise<Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const path = `/agents/${agentId}/tasks?limit=${PAGE}&skip=${tasks.length}`;
    const { json, headers, status, text } = await client.change('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    const page = json as Task[];
    tasks.push(...page);
    if (page.length === PAGE) continue;
    const total = Number(headers['x-total-count']);
    if (total !== tasks.length) client.ledger.violate(`${agentId} has ${tasks.length} tasks, but counts ${total}`);
    return tasks;
  }
}

/** All events of the fleet, oldest first. */
export async function listEvents(client: Client): Promise<FleetEvent[]> {
  const events: FleetEvent[] = [];
  for (;;) {
    const page = await client.get<FleetEvent[]>(`/events?limit=${PAGE}&after=${events.at(-1)?.id ?? 0}`);
    events.push(...page);
    if (page.length < PAGE) return events;
  }
}
