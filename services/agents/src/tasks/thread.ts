import { isId } from '@agent-fleet/shared/ids';
import { notFound, type TaskParams } from '../contract/parameters.ts';
import type { TaskReader } from './store/task-reader.ts';
import type { Task } from './task.ts';

const MAX_TASKS = 100;
/** Tasks that are looked at: a conversation may branch. */
const MAX_VISITED = 300;

type Linked = Pick<Task, 'id' | 'agent_id' | 'continue_of' | 'continued_by'>;

/**
 * Reads a task with those that it continues and that continue it, and so on: the ones that were created nearest to it,
 * oldest first. @throws 404
 */
export async function readThread(reader: TaskReader, { agent_id, task_id }: TaskParams): Promise<string[]> {
  const start = await reader.read(agent_id, task_id);
  if (start.outcome !== 'found') throw notFound(start);
  const records = new Map<string, string>();
  const seen = new Set([task_id]);
  for (let next = [start.json]; next.length > 0; ) {
    const linked = next.map((json) => JSON.parse(json) as Linked).filter((task) => task.agent_id === agent_id);
    for (const [at, { id }] of linked.entries()) records.set(id, next[at] as string);
    const ids = linked.flatMap(({ continue_of, continued_by = [] }) => [continue_of ?? '', ...continued_by]);
    const found = [...new Set(ids)].filter((id) => isId(id) && !seen.has(id)).slice(0, MAX_VISITED - seen.size);
    for (const id of found) seen.add(id);
    next = found.length > 0 ? (await reader.readRecords(found)).records : [];
  }
  const ids = [...records.keys()].sort();
  const at = ids.indexOf(task_id);
  return nearest(ids, at).map((id) => records.get(id) as string);
}

/** The ids around a place, whose order is that of creation. */
function nearest(ids: readonly string[], at: number): string[] {
  const from = Math.max(0, Math.min(at - MAX_TASKS / 2, ids.length - MAX_TASKS));
  return ids.slice(from, from + MAX_TASKS);
}
