import type { components } from '@agent-fleet/sdk';
import { useAgentNames, useAgents } from '../../agents/agent-names.ts';
import { useGet } from '../../api/use-get.ts';
import { Chip } from '../../components/chip.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Column, timeColumn } from '../../components/table.tsx';
import type { Address } from '../../frame/address.ts';
import { ListPart } from '../../list/list-part.tsx';
import { type List, useList } from '../../list/use-list.ts';
import { leasedTasksQuery, leasesQuery } from '../../requests/agents.ts';
import { AgentCell, firstLine, taskHref } from '../../tasks/task-cells.tsx';
import { currentTime } from '../../text/clock.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { duration } from '../../text/times.ts';

type LeaseInfo = components['schemas']['LeaseInfo'];

const LEASE_EVENTS = new Set<string>([
  'task.leased',
  'task.released',
  'task.retry',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.deleted',
]);

const OPTIONS = {
  everyMs: 5_000,
  minIntervalMs: 2_000,
  reloadOn: ({ type }: { type: string }) => LEASE_EVENTS.has(type),
};

/** The leases that the address asks for. */
export function useLeases(address: URLSearchParams): List<LeaseInfo> {
  return useList('/leases', leasesQuery(address), OPTIONS);
}

/** What the tasks of these leases are about; nothing of those that began or ended since. */
function useMessages(address: URLSearchParams): ReadonlyMap<string, string> {
  const { data = [] } = useGet('/tasks', { query: leasedTasksQuery(address) }, OPTIONS);
  return new Map(data.map(({ id, message }) => [id, message]));
}

const COLUMNS: readonly Column<LeaseInfo>[] = [
  {
    title: 'Worker',
    isWideOnly: true,
    cell: ({ worker_id }) => <span class="cut lease-worker">{safeLine(worker_id)}</span>,
  },
  { title: 'Attempt', isWideOnly: true, isNumber: true, cell: ({ attempt }) => attempt },
  {
    title: 'Running for',
    isNumber: true,
    cell: ({ started_at }) => duration(Math.max(0, currentTime() - Date.parse(started_at))),
  },
  {
    title: 'Last heartbeat',
    isWideOnly: true,
    isNumber: true,
    cell: ({ last_heartbeat_at: at }) => <RelativeTime at={at} never="none yet" />,
  },
  timeColumn('Lease ends', ({ expires_at }) => expires_at, { isNumber: true }),
];

interface RunningTasksProps {
  address: Address;
  leases: List<LeaseInfo>;
  workerId: string | undefined;
}

/** What the workers hold, or one of them. */
export function RunningTasks({ address, leases, workerId }: RunningTasksProps) {
  const messages = useMessages(address.query);
  const known = useAgents();
  const agents = useAgentNames(leases.data?.rows.map(({ agent_id }) => agent_id) ?? [], known.data !== undefined);
  return (
    <Panel
      title="Running tasks"
      isFlush
      actions={
        workerId && (
          <Chip
            name={`the filter by ${safeLine(workerId)}`}
            onRemove={() => address.set({ worker_id: undefined, lease_skip: undefined, lease_after: undefined })}
          >
            {safeLine(workerId)}
          </Chip>
        )
      }
    >
      <ListPart
        what="running tasks"
        label="Leases"
        list={leases}
        columns={[
          {
            title: 'Task',
            isMain: true,
            href: (lease) => taskHref({ agent_id: lease.agent_id, id: lease.task_id }),
            cell: (lease) => titleOf(messages.get(lease.task_id), lease),
            narrow: ({ worker_id }) => safeLine(worker_id),
          },
          {
            title: 'Agent',
            isWideOnly: true,
            cell: ({ agent_id }) => <AgentCell id={agent_id} agent={agents.get(agent_id)} />,
          },
          ...COLUMNS,
        ]}
        rowKey={({ id }) => id}
        expectedRows={5}
        empty={
          <p class="event-empty muted">{workerId ? 'This worker is not running any task.' : 'No task is running.'}</p>
        }
        pager={{
          limit: leasesQuery(address.query).limit,
          skipName: 'lease_skip',
          label: 'Pages of running tasks',
          frame: (pages) => <div class="panel-pager">{pages}</div>,
        }}
      />
    </Panel>
  );
}

function titleOf(message: string | undefined, { task_id }: LeaseInfo): string {
  return message !== undefined ? firstLine(message) : `Task …${task_id.slice(-8)}`;
}
