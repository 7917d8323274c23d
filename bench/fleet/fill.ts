import { type Client, repeat } from './client.ts';

const WIDTH = 16;
const MAX_BATCH = 500;
/** A tagged task has one of these tags, in turn per agent. */
export const TAGS = Array.from({ length: 10 }, (_, at) => `tag-${at}`);

/** What the fleet's responses have of a task and a lease. */
export interface TaskRef {
  id: string;
  agent_id: string;
}

export interface Lease {
  id: string;
  token: string;
  task: TaskRef;
}

/** Creates agents and returns their ids. */
export function createAgents(client: Client, count: number, type: string): Promise<string[]> {
  return repeat(count, WIDTH, async (at) => {
    const body = JSON.stringify({ name: `Agent ${at}`, type });
    return (await client.send<{ id: string }>({ method: 'POST', path: '/agents', body, status: 201 })).id;
  });
}

/** Creates `countPerAgent` pending tasks for each agent. */
export async function createTasks(
  client: Client,
  agentIds: string[],
  countPerAgent: number,
  tags: readonly string[] = [],
): Promise<void> {
  const batches = Math.ceil(countPerAgent / MAX_BATCH);
  await repeat(agentIds.length * batches, WIDTH, async (at) => {
    const length = Math.min(MAX_BATCH, countPerAgent - Math.floor(at / agentIds.length) * MAX_BATCH);
    const tasks = Array.from({ length }, (_, task) => ({
      message: `Summarise release ${task}`,
      ...(tags.length > 0 && { tags: [tags[(at + task) % tags.length]] }),
    }));
    const path = `/agents/${agentIds[at % agentIds.length]}/task-batches`;
    await client.send({ method: 'POST', path, body: JSON.stringify({ tasks }), status: 201 });
  });
}
