import { useState } from 'preact/hooks';
import type { TaskRow } from './task-rows.ts';
import type { Selection } from './task-table.tsx';

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
