import { type Column, Table } from '../../components/table.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { useAgentNames } from './agent-names.ts';
import { AgentCell, DurationCell, firstLine, MessageCell, StatusCell } from './task-cells.tsx';
import type { TaskRow } from './task-rows.ts';
import { useFirstRows } from './use-first-rows.ts';

interface TaskTableProps {
  rows: readonly TaskRow[] | undefined;
  expectedRows: number;
  isStale: boolean;
  /** Whether the newest agents have been read. */
  areAgentsKnown: boolean;
  /** Undefined: rows cannot be selected. */
  selection: Selection | undefined;
}

export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  toggleAll: () => void;
}

export function TaskTable({ rows, expectedRows, isStale, areAgentsKnown, selection }: TaskTableProps) {
  const shown = useFirstRows(rows);
  const names = useAgentNames(rows?.map(({ agent_id }) => agent_id) ?? [], areAgentsKnown);
  const columns: Column<TaskRow>[] = [
    ...(selection ? [selectionColumn(rows ?? [], selection)] : []),
    {
      key: 'message',
      title: 'Task',
      isMain: true,
      cell: (row) => <MessageCell row={row} agent={names.get(row.agent_id)} />,
    },
    { key: 'status', title: 'Status', cell: (row) => <StatusCell row={row} /> },
    {
      key: 'agent',
      title: 'Agent',
      isWideOnly: true,
      cell: ({ agent_id }) => <AgentCell id={agent_id} agent={names.get(agent_id)} />,
    },
    {
      key: 'attempts',
      title: 'Attempts',
      isWideOnly: true,
      isNumber: true,
      cell: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}`,
    },
    {
      key: 'duration',
      title: 'Duration',
      isWideOnly: true,
      isNumber: true,
      cell: (row) => <DurationCell row={row} />,
    },
    {
      key: 'created',
      title: 'Created',
      isWideOnly: true,
      isNumber: true,
      cell: ({ created_at }) => (
        <span class="created-cell">
          <RelativeTime at={created_at} />
        </span>
      ),
    },
  ];
  return (
    <Table
      label="Tasks"
      columns={columns}
      rows={shown}
      rowKey={({ id }) => id}
      expectedRows={expectedRows}
      isStale={isStale}
      rowClass={({ id, isDeleted }) => (isDeleted ? 'is-gone' : selection?.ids.has(id) ? 'is-selected' : undefined)}
    />
  );
}

function selectionColumn(rows: readonly TaskRow[], { ids, toggle, toggleAll }: Selection): Column<TaskRow> {
  return {
    key: 'selection',
    title: 'Select',
    header: (
      <SelectBox
        label="Select all rows"
        isChecked={rows.length > 0 && rows.every(({ id }) => ids.has(id))}
        onChange={toggleAll}
      />
    ),
    cell: ({ id, message }) => (
      <SelectBox label={`Select ${firstLine(message)}`} isChecked={ids.has(id)} onChange={() => toggle(id)} />
    ),
  };
}

function SelectBox({ label, isChecked, onChange }: { label: string; isChecked: boolean; onChange: () => void }) {
  return <input type="checkbox" class="select-box" aria-label={label} checked={isChecked} onChange={onChange} />;
}
