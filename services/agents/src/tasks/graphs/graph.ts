import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { visibleAgents } from '../../contract/callers.ts';
import { notFound } from '../../contract/parameters.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { TaskReader } from '../store/task-reader.ts';
import type { Task } from '../task.ts';
import type { GraphNode, readTaskGraph } from './contract.ts';

const MAX_NODES = 500;
/** Records that are read at once. */
const STEP = 50;
const MAX_MESSAGE = 200;

/** The operation that reads the graph of a task. */
export function createGraphReading({ redis, keys }: FleetContext, { reader }: { reader: TaskReader }) {
  /** The tasks of these ids, as far as they are there and visible. */
  async function readNodes(ids: readonly string[], visible: ReadonlySet<string> | undefined): Promise<GraphNode[]> {
    const nodes: GraphNode[] = [];
    for (let from = 0; from < ids.length; ) {
      const { records, passed } = await reader.readRecords(ids.slice(from, from + STEP));
      from += passed;
      for (const { id, agent_id, message, status, after } of records.map((record) => JSON.parse(record) as Task)) {
        if (visible && !visible.has(agent_id)) continue;
        const text = [...message.slice(0, 2 * MAX_MESSAGE)].slice(0, MAX_MESSAGE).join('');
        nodes.push({ task_id: id, agent_id, message: text, status, after: after ?? [] });
      }
    }
    return nodes;
  }

  return {
    async readGraph({ params, req }: Input<typeof readTaskGraph>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const start = await reader.read(agent_id, task_id);
      if (start.outcome !== 'found') throw notFound(start);
      const visible = visibleAgents(req);
      const seen = new Set([task_id]);
      const nodes = await readNodes([task_id], visible);
      let truncated = false;
      for (let next = nodes; next.length > 0; ) {
        const dependents = await Promise.all(
          next.map((node) => redis.srandmember(keys.dependents(node.task_id), MAX_NODES + 1) as Promise<string[]>),
        );
        const ids = [...next.flatMap(({ after }) => after), ...dependents.flat()];
        const found = [...new Set(ids)].filter((id) => !seen.has(id));
        const taken = found.slice(0, MAX_NODES - seen.size);
        truncated ||= found.length > taken.length;
        for (const id of taken) seen.add(id);
        next = await readNodes(taken, visible);
        nodes.push(...next);
      }
      const known = new Set(nodes.map((node) => node.task_id));
      const shown = nodes.map((node) => ({ ...node, after: node.after.filter((id) => known.has(id)) }));
      return json({ nodes: shown.sort((one, other) => (one.task_id < other.task_id ? -1 : 1)), truncated });
    },
  };
}
