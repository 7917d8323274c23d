import type { components } from '@agent-fleet/sdk';
import { type AgentName, agentLabel } from '../../agents/agent-names.ts';
import { fleet } from '../../api/fleet.ts';
import { totalCount } from '../../api/total-count.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { leasedTasksQuery, leasesQuery } from '../../requests/workers.ts';
import { firstLine } from '../../tasks/task-cells.tsx';
import { currentTime } from '../../text/clock.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { duration } from '../../text/times.ts';

type LeaseInfo = components['schemas']['LeaseInfo'];

interface LeaseTableProps {
  leases: readonly LeaseInfo[] | undefined;
  /** Of the tasks, as far as they are known. */
  messages: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, AgentName | null>;
  isStale: boolean;
}

export function LeaseTable({ leases, messages, agents, isStale }: LeaseTableProps) {
  const columns: Column<LeaseInfo>[] = [
    {
      key: 'task',
      title: 'Task',
      isMain: true,
      cell: (lease) => (
        <>
          <RowLink href={`/console/agents/${lease.agent_id}/tasks/${lease.task_id}`}>
            {titleOf(messages.get(lease.task_id), lease)}
          </RowLink>
          <p class="narrow-only small muted cut">{safeLine(lease.worker_id)}</p>
        </>
      ),
    },
    {
      key: 'agent',
      title: 'Agent',
      isWideOnly: true,
      cell: ({ agent_id }) => (
        <a href={`/console/agents/${agent_id}`} class="cell-link cut agent-cell">
          {agentLabel(agent_id, agents.get(agent_id))}
        </a>
      ),
    },
    {
      key: 'worker',
      title: 'Worker',
      isWideOnly: true,
      cell: ({ worker_id }) => <span class="cut lease-worker">{safeLine(worker_id)}</span>,
    },
    { key: 'attempt', title: 'Attempt', isWideOnly: true, isNumber: true, cell: ({ attempt }) => attempt },
    {
      key: 'started',
      title: 'Running for',
      isNumber: true,
      cell: ({ started_at }) => duration(Math.max(0, currentTime() - Date.parse(started_at))),
    },
    {
      key: 'heartbeat',
      title: 'Last heartbeat',
      isWideOnly: true,
      isNumber: true,
      cell: ({ last_heartbeat_at: at }) => (at ? <RelativeTime at={at} /> : <span class="muted">none yet</span>),
    },
    { key: 'expires', title: 'Lease ends', isNumber: true, cell: ({ expires_at }) => <RelativeTime at={expires_at} /> },
  ];
  return (
    <Table label="Leases" columns={columns} rows={leases} rowKey={({ id }) => id} expectedRows={5} isStale={isStale} />
  );
}

function titleOf(message: string | undefined, { task_id }: LeaseInfo): string {
  return message !== undefined ? firstLine(message) : `Task …${task_id.slice(-8)}`;
}

export interface Leases {
  rows: readonly LeaseInfo[];
  total: number;
}

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
export function useLeases(address: URLSearchParams): Query<Leases> {
  const query = leasesQuery(address);
  const load = async (signal: AbortSignal): Promise<Leases> => {
    const { data, response } = await fleet.get('/leases', { params: { query }, signal });
    return { rows: data, total: totalCount(response) };
  };
  return useQuery(JSON.stringify(query), load, OPTIONS);
}

/** What the tasks of these leases are about; nothing of those that began or ended since. */
export function useMessages(address: URLSearchParams): ReadonlyMap<string, string> {
  const query = leasedTasksQuery(address);
  const load = async (signal: AbortSignal) => {
    const { data } = await fleet.get('/tasks', { params: { query }, signal });
    return new Map(data.map(({ id, message }) => [id, message]));
  };
  return useQuery(JSON.stringify(query), load, OPTIONS).data ?? new Map();
}
