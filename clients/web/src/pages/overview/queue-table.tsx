import { StartWorkerButton } from '../../agents/commands.tsx';
import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { Badge } from '../../components/badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { totalCount } from '../../list/list-page.ts';
import { waitingWords } from '../../tasks/waiting.ts';
import { compact, count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { type OldestPending, type Queue, type QueueDetails, unservedTypes } from './queues.ts';

interface QueueTableProps {
  /** Undefined while they are loading. */
  queues: readonly Queue[] | undefined;
  details: ReadonlyMap<string, QueueDetails>;
}

/** What waits for each type of agents, why, and who takes it. */
export function QueueTable({ queues, details }: QueueTableProps) {
  const columns: Column<Queue>[] = [
    {
      title: 'Type',
      href: ({ type }) => `/console/tasks?type=${encodeURIComponent(type)}&status=pending`,
      cell: ({ type }) => safeLine(type),
    },
    { title: 'Waiting', isNumber: true, cell: (queue) => <PendingCount queue={queue} details={details} /> },
    { title: 'Why', isMain: true, cell: (queue) => <Why queue={queue} details={details} /> },
    {
      title: 'Oldest',
      isWideOnly: true,
      cell: ({ oldest }) => <RelativeTime at={oldest?.created_at ?? null} never="–" />,
    },
    {
      title: 'Workers',
      isNumber: true,
      isWideOnly: true,
      cell: ({ type, workers }) => (
        <span class={details.get(type)?.unservedType === type ? 'queue-unserved' : workers ? undefined : 'muted'}>
          {workers === undefined ? '…' : count(workers)}
        </span>
      ),
    },
    {
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
    <Panel title="Queues" isFlush actions={<Actions types={unservedTypes(queues ?? [], details)} />}>
      <Table label="Queues by type" columns={columns} rows={queues} rowKey={({ type }) => type} expectedRows={3} />
    </Panel>
  );
}

function Actions({ types }: { types: readonly string[] }) {
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

function PendingCount({ queue: { type, oldest }, details }: RowProps) {
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
      {waitingWords(waiting).title}
    </a>
  );
}

/** Types beyond these have no details: each needs two or three requests. */
const MAX_TYPES = 12;

/** How many tasks of each type wait, and why the oldest one waits. Loaded again when an oldest one changes. */
export function useQueueDetails(oldest: readonly OldestPending[] | undefined): ReadonlyMap<string, QueueDetails> {
  const shown = oldest?.slice(0, MAX_TYPES);
  const { data } = useQuery(
    shown ? JSON.stringify(shown.map(({ type, task_id }) => [type, task_id])) : null,
    async (signal) => new Map(await Promise.all((shown ?? []).map((one) => readDetails(one, signal)))),
    { everyMs: 5_000 },
  );
  return data ?? new Map();
}

async function readDetails(
  { type, agent_id, task_id }: OldestPending,
  signal: AbortSignal,
): Promise<[string, QueueDetails]> {
  const query = { status: 'pending', type, fields: 'id', limit: 1 };
  const [waiting, pending] = await Promise.all([
    fleet.get('/agents/{agent_id}/tasks/{task_id}/waiting', { params: { path: { agent_id, task_id } }, signal }),
    fleet.get('/tasks', { params: { query }, signal }),
  ]);
  const agent =
    waiting.data.reason === 'no_worker' &&
    (await fleet.get('/agents/{agent_id}', { params: { path: { agent_id } }, signal }));
  const unservedType = agent ? agent.data.type : undefined;
  return [type, { waiting: waiting.data, pending: totalCount(pending.response), unservedType }];
}
