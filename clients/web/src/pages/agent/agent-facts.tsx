import type { Agent } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { useQuery } from '../../api/use-query.ts';
import { CopyButton } from '../../components/copy.tsx';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { readTaskCount } from '../agents/task-counts.ts';

const STATUSES = ['pending', 'running'] as const;

/** What an agent is, and how much it has to do. */
export function AgentFacts({ agent: { id, type, created_at } }: { agent: Agent }) {
  const counts = useTaskCounts(id);
  const href = (status: string) => `/console/tasks?agent_id=${id}&status=${status}`;
  return (
    <dl class="agent-facts">
      <Fact name="Type">{safeLine(type)}</Fact>
      <Fact name="Created">
        <RelativeTime at={created_at} />
      </Fact>
      {STATUSES.map((status, index) => (
        <Fact key={status} name={status === 'pending' ? 'Pending' : 'Running'}>
          <a href={href(status)}>{counts ? count(counts[index] ?? 0) : '…'}</a>
        </Fact>
      ))}
      <Fact name="Id">
        <code class="cut">{id}</code>
        <CopyButton text={id} what="the id" />
      </Fact>
    </dl>
  );
}

function useTaskCounts(agentId: string): readonly number[] | undefined {
  const { data } = useQuery(
    `counts of ${agentId}`,
    (signal) => Promise.all(STATUSES.map((status) => readTaskCount(agentId, status, signal))),
    {
      everyMs: 15_000,
      minIntervalMs: 2_000,
      reloadOn: ({ type, agent_id }) => agent_id === agentId && type.startsWith('task.') && type !== 'task.progress',
    },
  );
  return data;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="agent-fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
