import { useEffect, useState } from 'preact/hooks';
import { useAgentNames } from '../../agents/agent-names.ts';
import { type Column, Table } from '../../components/table.tsx';
import { AgentCell, DurationCell, firstLine, MessageCell, StatusCell } from '../../tasks/task-cells.tsx';
import type { TaskRow } from '../../tasks/task-rows.ts';
import { RelativeTime } from '../../text/relative-time.tsx';

interface TaskTableProps {
  rows: readonly TaskRow[] | undefined;
  expectedRows: number;
  isStale: boolean;
  /** Whether the newest agents have been read. */
  areAgentsKnown: boolean;
  /** Undefined: rows cannot be selected. */
  selection: Selection | undefined;
}

interface Selection {
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

/** As many as a window shows. */
const FIRST_ROWS = 20;

/** The first rows at once, and all of them after the first paint: on slow devices the page is there sooner. */
function useFirstRows<Row>(rows: readonly Row[] | undefined): readonly Row[] | undefined {
  const [isPainted, setPainted] = useState(false);
  const hasRows = rows !== undefined;
  useEffect(() => {
    if (!hasRows) return;
    const timer = setTimeout(() => setPainted(true));
    return () => clearTimeout(timer);
  }, [hasRows]);
  return isPainted ? rows : rows?.slice(0, FIRST_ROWS);
}

interface Selected {
  key: string;
  ids: ReadonlySet<string>;
  /** All tasks that match the filter, not only those of the page. */
  isAll: boolean;
}

export interface TaskSelection extends Selection {
  /** Those of the shown rows that are selected. */
  rows: readonly TaskRow[];
  isAll: boolean;
  selectAll: () => void;
  clear: () => void;
}

/** The selected rows. Another query begins without any. */
export function useSelection(key: string, rows: readonly TaskRow[] = []): TaskSelection {
  const [state, setState] = useState<Selected>({ key, ids: new Set(), isAll: false });
  const ids = state.key === key ? state.ids : new Set<string>();
  const select = (next: ReadonlySet<string>, isAll = false) => setState({ key, ids: next, isAll });
  const selected = rows.filter(({ id }) => ids.has(id));
  return {
    ids,
    rows: selected,
    isAll: state.key === key && state.isAll && selected.length > 0,
    toggle(id) {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      select(next);
    },
    toggleAll: () => select(new Set(selected.length < rows.length ? rows.map(({ id }) => id) : [])),
    selectAll: () => select(new Set(rows.map(({ id }) => id)), true),
    clear: () => select(new Set()),
  };
}
