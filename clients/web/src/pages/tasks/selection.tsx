import { useState } from 'preact/hooks';
import type { Column } from '../../components/table.tsx';
import { firstLine } from '../../tasks/task-cells.tsx';
import type { TaskRow } from '../../tasks/task-rows.ts';

interface Selected {
  key: string;
  ids: ReadonlySet<string>;
  /** All tasks that match the filter, not only those of the page. */
  isAll: boolean;
}

export interface TaskSelection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  toggleAll: () => void;
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

/** A box for each row, and one for all. */
export function selectionColumn(rows: readonly TaskRow[], { ids, toggle, toggleAll }: TaskSelection): Column<TaskRow> {
  return {
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
