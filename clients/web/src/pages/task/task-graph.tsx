import { useGet } from '../../api/use-get.ts';
import { Panel } from '../../components/panel.tsx';
import { firstLine, taskHref } from '../../tasks/task-cells.tsx';
import { short } from '../../text/pieces.ts';
import { statusWord, toneOf } from '../../text/statuses.ts';
import { layOut, NODE, type PlacedNode } from './graph-layout.ts';
import type { TaskPath } from './task-record.ts';

const PADDING = 10;
/** Characters that a node has room for. */
const MAX_CHARACTERS = 22;

/** The tasks that are connected with one by what they come after; nothing for a task alone. */
export function TaskGraph({ path }: { path: TaskPath }) {
  const { data } = useGet(
    '/agents/{agent_id}/tasks/{task_id}/graph',
    { path },
    {
      reloadOn: ({ type }) => type.startsWith('task.') && type !== 'task.progress',
      minIntervalMs: 5_000,
    },
  );
  if (!data || data.nodes.length < 2) return null;
  const { nodes, edges, width, height } = layOut(data.nodes);
  return (
    <Panel title="Before and after">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys. */}
      <section class="task-graph" aria-label="Graph of tasks" tabIndex={0}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-label="Tasks by their order">
          {edges.map((path) => (
            <path key={path} class="task-graph-edge" d={path} />
          ))}
          {nodes.map((node) => (
            <Node key={node.task_id} node={node} isThis={node.task_id === path.task_id} />
          ))}
        </svg>
      </section>
      {data.truncated && <p class="small muted">There are more tasks, which are further away.</p>}
    </Panel>
  );
}

function Node({ node: { task_id, agent_id, message, status, x, y }, isThis }: { node: PlacedNode; isThis: boolean }) {
  const title = firstLine(message);
  return (
    <a
      href={taskHref({ agent_id, id: task_id })}
      class="task-graph-node"
      data-tone={toneOf(status)}
      aria-current={isThis ? 'page' : undefined}
    >
      <title>{title}</title>
      <rect x={x} y={y} width={NODE.width} height={NODE.height} rx="6" />
      <text x={x + PADDING} y={y + 20}>
        {short(title, MAX_CHARACTERS)}
      </text>
      <text class="task-graph-status" x={x + PADDING} y={y + 37}>
        {statusWord(status)}
      </text>
    </a>
  );
}
