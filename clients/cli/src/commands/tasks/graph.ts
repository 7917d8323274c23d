import type { components } from '@agent-fleet/sdk';
import type { Context } from '../../context.ts';
import { findTask, toPath } from '../../lookup.ts';
import type { Column } from '../../output/table.ts';

type Node = components['schemas']['GraphNode'];

/** Lists the tasks that are connected with one, each behind those that it comes after. */
export async function graph(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const task = await findTask(context, ref);
  const options = { params: { path: toPath(task) }, signal };
  const { data } = await fleet().get('/agents/{agent_id}/tasks/{task_id}/graph', options);
  const nodes = inOrder(data.nodes);
  const numbers = new Map(nodes.map(({ task_id }, at) => [task_id, at + 1]));
  const columns: Column<Node>[] = [
    { title: '#', value: ({ task_id }) => numbers.get(task_id), isNumber: true, isWhole: true },
    { title: 'AFTER', value: ({ after }) => after.map((id) => numbers.get(id)).join(', ') },
    { title: 'STATUS', value: ({ status }) => status, isWhole: true },
    { title: 'ID', value: ({ task_id }) => task_id, isWhole: true },
    { title: 'MESSAGE', value: ({ task_id, message }) => `${task_id === task.taskId ? '→ ' : ''}${message}` },
  ];
  out.list(nodes, columns, 'No tasks.');
  if (data.truncated) out.note('There are more tasks, which are further away.');
}

function inOrder(nodes: readonly Node[]): Node[] {
  const left = new Map(nodes.map((node) => [node.task_id, node]));
  const sorted: Node[] = [];
  while (left.size > 0) {
    const next = [...left.values()].filter(({ after }) => after.every((id) => !left.has(id)));
    for (const node of next.length > 0 ? next : [...left.values()]) {
      left.delete(node.task_id);
      sorted.push(node);
    }
  }
  return sorted;
}
