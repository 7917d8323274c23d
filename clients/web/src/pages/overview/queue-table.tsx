import { Badge } from '../../components/badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { compact, count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import type { Queue } from './queues.ts';
import { shortReason } from './short-reason.ts';
import { StartWorkerButton } from './start-worker.tsx';
import type { QueueDetails } from './use-queue-details.ts';

interface QueueTableProps {
  /** Undefined while they are loading. */
  queues: readonly Queue[] | undefined;
  details: ReadonlyMap<string, QueueDetails>;
  /** Those whose tasks no worker takes. */
  unserved: readonly Queue[];
}

/** What waits for each type of agents, why, and who takes it. */
export function QueueTable({ queues, details, unserved }: QueueTableProps) {
  const columns: Column<Queue>[] = [
    {
      key: 'type',
      title: 'Type',
      cell: ({ type }) => (
        <RowLink href={`/console/tasks?type=${encodeURIComponent(type)}&status=pending`}>{safeLine(type)}</RowLink>
      ),
    },
    { key: 'waiting', title: 'Waiting', isNumber: true, cell: (queue) => <Waiting queue={queue} details={details} /> },
    { key: 'why', title: 'Why', isMain: true, cell: (queue) => <Why queue={queue} details={details} /> },
    { key: 'oldest', title: 'Oldest', isWideOnly: true, cell: ({ oldest }) => <Oldest oldest={oldest} /> },
    {
      key: 'workers',
      title: 'Workers',
      isNumber: true,
      isWideOnly: true,
      cell: (queue) => (
        <span class={unserved.includes(queue) ? 'queue-unserved' : queue.workers ? undefined : 'muted'}>
          {queue.workers === undefined ? '…' : count(queue.workers)}
        </span>
      ),
    },
    {
      key: 'agents',
      title: 'Agents',
      isNumber: true,
      isWideOnly: true,
      cell: ({ type, agents }) => (
        <a href={`/console/agents?type=${encodeURIComponent(type)}`} class="quiet-link">
          {count(agents)}
        </a>
      ),
    },
    {
      key: 'tasks',
      title: 'Tasks',
      isNumber: true,
      isWideOnly: true,
      cell: ({ type, tasks }) => (
        <a href={`/console/tasks?type=${encodeURIComponent(type)}`} class="quiet-link">
          {compact(tasks)}
        </a>
      ),
    },
  ];
  return (
    <Panel title="Queues" isFlush actions={<Actions unserved={unserved} />}>
      <Table label="Queues by type" columns={columns} rows={queues} rowKey={({ type }) => type} expectedRows={3} />
    </Panel>
  );
}

function Actions({ unserved }: Pick<QueueTableProps, 'unserved'>) {
  const types = unserved.map(({ type }) => type);
  return (
    <>
      {types.length > 0 && (
        <span class="wide-only">
          <Badge tone="warn">
            {types.length === 1
              ? `No worker takes ${safeLine(types[0] ?? '')}`
              : `${types.length} types without a worker`}
          </Badge>
        </span>
      )}
      <StartWorkerButton types={types} />
    </>
  );
}

type RowProps = { queue: Queue } & Pick<QueueTableProps, 'details'>;

function Waiting({ queue: { type, oldest }, details }: RowProps) {
  if (!oldest) return <span class="muted">0</span>;
  const pending = details.get(type)?.pending;
  return <>{pending === undefined ? '…' : count(pending)}</>;
}

function Why({ queue: { type, oldest }, details }: RowProps) {
  if (!oldest) return <span class="muted">Nothing waits</span>;
  const waiting = details.get(type)?.waiting;
  if (!waiting?.reason) return <span class="muted">…</span>;
  const isStuck = waiting.reason === 'no_worker' || waiting.reason === 'paused';
  return (
    <a
      href={`/console/agents/${oldest.agent_id}/tasks/${oldest.task_id}`}
      class={`quiet-link${isStuck ? ' queue-unserved' : ''}`}
    >
      {shortReason(waiting)}
    </a>
  );
}

function Oldest({ oldest }: Pick<Queue, 'oldest'>) {
  return oldest ? <RelativeTime at={oldest.created_at} /> : <span class="muted">–</span>;
}
