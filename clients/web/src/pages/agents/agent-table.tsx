import { type AgentAction, AgentMenu } from '../../agents/agent-actions.tsx';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { Sparkline } from '../../plots/sparkline.tsx';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { activityOf, useActivities } from './use-activity.ts';
import type { AgentRow } from './use-agent-list.ts';

interface AgentTableProps {
  rows: readonly AgentRow[] | undefined;
  expectedRows: number;
  isStale: boolean;
  /** Undefined: rows have no menu. */
  onChoose: ((action: AgentAction, row: AgentRow) => void) | undefined;
}

export function AgentTable({ rows, expectedRows, isStale, onChoose }: AgentTableProps) {
  useActivities(rows?.map(({ id }) => id) ?? []);
  const columns: Column<AgentRow>[] = [
    { key: 'name', title: 'Name', isMain: true, cell: (row) => <NameCell row={row} /> },
    { key: 'status', title: 'Status', cell: (row) => <StatusCell row={row} /> },
    { key: 'type', title: 'Type', isWideOnly: true, cell: ({ type }) => safeLine(type) },
    {
      key: 'activity',
      title: 'Last hour',
      isWideOnly: true,
      cell: ({ id }) => <ActivityCell id={id} />,
    },
    {
      key: 'created',
      title: 'Created',
      isWideOnly: true,
      isNumber: true,
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
  ];
  if (onChoose) {
    columns.push({
      key: 'menu',
      title: 'Actions',
      isTitleHidden: true,
      isNumber: true,
      cell: (row) => (
        <AgentMenu agent={row} isPaused={row.paused_at !== null} onChoose={(action) => onChoose(action, row)} />
      ),
    });
  }
  return (
    <Table
      label="Agents"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      expectedRows={expectedRows}
      isStale={isStale}
    />
  );
}

/** On narrow screens also what has no column there. */
function NameCell({ row: { id, name, type, created_at } }: { row: AgentRow }) {
  return (
    <>
      <RowLink href={`/console/agents/${id}`}>{safeLine(name)}</RowLink>
      <p class="narrow-only small muted cut">
        {safeLine(type)} · <RelativeTime at={created_at} />
      </p>
    </>
  );
}

function StatusCell({ row: { status, paused_at } }: { row: AgentRow }) {
  return (
    <span class="agent-status">
      <StatusBadge status={status} />
      {paused_at !== null && <Badge tone="warn">paused</Badge>}
    </span>
  );
}

function ActivityCell({ id }: { id: string }) {
  const activity = activityOf(id);
  const completed = activity?.completed ?? [];
  const total = completed.reduce((sum, value) => sum + value, 0);
  return (
    <span class="activity">
      <Sparkline values={completed} label="completed in the last hour" step="step of 3 minutes" />
      <span class="small muted number">{activity && count(total)}</span>
      {activity !== undefined && activity.failed > 0 && (
        <span class="small number activity-failed">{count(activity.failed)} failed</span>
      )}
    </span>
  );
}
