import type { components } from '@agent-fleet/sdk';
import { Badge } from '../../components/badge.tsx';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { count, plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';

type WorkerInfo = components['schemas']['WorkerInfo'];

const SHOWN_TYPES = 3;

interface WorkerTableProps {
  workers: readonly WorkerInfo[] | undefined;
  /** The address of the page with the leases of a worker only. */
  hrefOf: (workerId: string) => string;
  /** The worker whose leases are shown. */
  chosen: string | undefined;
}

export function WorkerTable({ workers, hrefOf, chosen }: WorkerTableProps) {
  const columns: Column<WorkerInfo>[] = [
    {
      key: 'id',
      title: 'Worker',
      isMain: true,
      cell: (worker) => (
        <>
          <RowLink href={hrefOf(worker.worker_id)}>{safeLine(worker.worker_id)}</RowLink>
          <p class="narrow-only small muted cut">
            {takes(worker)} · <RelativeTime at={worker.last_seen_at} />
          </p>
        </>
      ),
    },
    { key: 'state', title: 'State', cell: (worker) => <State worker={worker} /> },
    {
      key: 'takes',
      title: 'Takes',
      isWideOnly: true,
      cell: (worker) => <span class="cut takes">{takes(worker)}</span>,
    },
    { key: 'leases', title: 'Running', isNumber: true, cell: ({ leases }) => <Amount value={leases} /> },
    {
      key: 'completed',
      title: 'Completed',
      isNumber: true,
      isWideOnly: true,
      cell: ({ completed }) => <Amount value={completed} />,
    },
    {
      key: 'failed',
      title: 'Failed',
      isNumber: true,
      isWideOnly: true,
      cell: ({ failed }) => <Amount value={failed} isBad />,
    },
    {
      key: 'client',
      title: 'Address',
      isWideOnly: true,
      cell: ({ client }) => <span class="mono small">{client === null ? '–' : safeLine(client)}</span>,
    },
    {
      key: 'seen',
      title: 'Last seen',
      isWideOnly: true,
      isNumber: true,
      cell: ({ last_seen_at }) => <RelativeTime at={last_seen_at} />,
    },
  ];
  return (
    <Table
      label="Workers"
      columns={columns}
      rows={workers}
      rowKey={({ worker_id }) => worker_id}
      expectedRows={5}
      rowClass={({ worker_id }) => (worker_id === chosen ? 'is-selected' : undefined)}
    />
  );
}

function State({ worker: { polling, leases } }: { worker: WorkerInfo }) {
  if (leases > 0) {
    return (
      <span class="badge badge-info">
        <span class="dot dot-live" aria-hidden="true" />
        working
      </span>
    );
  }
  return polling ? (
    <span class="badge badge-ok">
      <span class="dot" aria-hidden="true" />
      ready
    </span>
  ) : (
    <Badge>not polling</Badge>
  );
}

/** Whose tasks it asks for. */
function takes({ types, agent_ids: agents }: WorkerInfo): string {
  const more = types.length - SHOWN_TYPES;
  const named = types.slice(0, SHOWN_TYPES).map(safeLine).join(', ');
  const ofTypes = more > 0 ? `${named} and ${more} more` : named;
  const ofAgents = agents.length > 0 ? plural(agents.length, 'agent') : '';
  return [ofTypes, ofAgents].filter(Boolean).join(', ') || '–';
}

function Amount({ value, isBad }: { value: number; isBad?: boolean }) {
  const name = value === 0 ? 'muted' : isBad ? 'activity-failed' : undefined;
  return <span class={name}>{count(value)}</span>;
}
