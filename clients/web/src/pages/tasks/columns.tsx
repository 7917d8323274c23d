import { Checkbox } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import type { Column } from '../../components/table.tsx';
import { type Address, useAddress } from '../../frame/address.ts';
import { durationOf } from '../../tasks/task-cells.tsx';
import type { TaskOrder } from '../../tasks/task-list.ts';
import type { TaskRow } from '../../tasks/task-rows.ts';

/** The columns that one may choose. */
const CHOICES = ['Agent', 'Attempts', 'Duration', 'Cost', 'Created'];
const USUAL = CHOICES.filter((title) => title !== 'Cost').join();

/** By what the rows of a page can be ordered. */
const VALUES = new Map<string, (row: TaskRow) => number | null>([
  ['Attempts', ({ attempt }) => attempt],
  ['Duration', durationOf],
  ['Cost', ({ cost }) => cost?.amount ?? null],
]);

/** Chooses the columns, which the address keeps. */
export function ColumnMenu() {
  const { query, set } = useAddress();
  const shown = shownOf(query);
  const toggle = (title: string) => {
    const next = CHOICES.filter((one) => shown.includes(one) !== (one === title)).join();
    set({ columns: next === USUAL ? undefined : next || 'none' }, true);
  };
  return (
    <Menu label="Columns" staysOpen>
      {CHOICES.map((title) => (
        <div key={title} class="menu-item">
          <Checkbox label={title} isChecked={shown.includes(title)} onChange={() => toggle(title)} />
        </div>
      ))}
    </Menu>
  );
}

/** The order of the rows of a page that the address names, such as `Cost` or, lowest first, `-Cost`. */
export function orderOf(address: URLSearchParams): TaskOrder | undefined {
  const name = address.get('sort') ?? '';
  const toValue = VALUES.get(name.replace('-', ''));
  const sign = name.startsWith('-') ? 1 : -1;
  // Rows without a value are the last ones either way.
  const rank = (row: TaskRow) => sign * (toValue?.(row) ?? sign * Number.MAX_VALUE);
  return toValue && { name, sort: (rows) => rows.toSorted((one, other) => rank(one) - rank(other)) };
}

/** The chosen ones of the columns; some have a button that orders the rows: highest, lowest first, as they came. */
export function chosenColumns(columns: readonly Column<TaskRow>[], { query, set }: Address): Column<TaskRow>[] {
  const shown = shownOf(query);
  const sort = query.get('sort');
  const chosen = columns.filter(({ title }) => !CHOICES.includes(title) || shown.includes(title));
  return chosen.map((column) => {
    const { title } = column;
    if (!VALUES.has(title)) return column;
    if (sort === title) return { ...column, sort: 'descending', onSort: () => set({ sort: `-${title}` }, true) };
    const isLowest = sort === `-${title}`;
    const onSort = () => set({ sort: isLowest ? undefined : title }, true);
    return { ...column, sort: isLowest ? 'ascending' : 'none', onSort };
  });
}

function shownOf(address: URLSearchParams): string[] {
  return (address.get('columns') ?? USUAL).split(',');
}
