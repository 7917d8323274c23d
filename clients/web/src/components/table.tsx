import type { ComponentChildren } from 'preact';
import { RelativeTime } from '../text/relative-time.tsx';
import { Skeleton } from './skeleton.tsx';
import './styles/table.css';

export interface Column<Row> {
  /** Unique in the table. */
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** The page of the row: what the cell has is the link that `j`, `k` and Enter move to and open. */
  href?: (row: Row) => string;
  /** Beside what the cell has. */
  badge?: (row: Row) => ComponentChildren;
  /** Below it on narrow screens: what has no column there. */
  narrow?: (row: Row) => ComponentChildren;
  /** Not on narrow screens. */
  isWideOnly?: boolean;
  /** Numbers: aligned at the end. */
  isNumber?: boolean;
  /** Takes the rest of the width. */
  isMain?: boolean;
  /** A CSS length that most values need, so that nothing moves when the rows come. */
  minWidth?: string;
  /** A heading of the column that is shown to screen readers only. */
  isTitleHidden?: boolean;
  /** In the place of the title, such as a checkbox for all rows. */
  header?: ComponentChildren;
  /** Its title is a button that orders the rows. */
  onSort?: () => void;
  sort?: 'ascending' | 'descending' | 'none';
}

/** When something happened to a row; null: never. */
export function timeColumn<Row>(
  title: string,
  timeOf: (row: Row) => string | null,
  options: Omit<Column<Row>, 'title' | 'cell'> = { isWideOnly: true, minWidth: '7rem' },
): Column<Row> {
  return { title, ...options, cell: (row) => <RelativeTime at={timeOf(row)} /> };
}

/** What can be done with a row. */
export function actionsColumn<Row>(cell: Column<Row>['cell'], minWidth = '3.5rem'): Column<Row> {
  return { title: 'Actions', isTitleHidden: true, isNumber: true, minWidth, cell };
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** How many rows the skeleton has. */
  expectedRows?: number;
  /** Whether the rows belong to the query before: they are dimmed. */
  isStale?: boolean;
  rowClass?: (row: Row) => string | undefined;
}

/** Rows, or a skeleton of the same height while they are undefined. The link of a row is a `RowLink`. */
export function Table<Row>({ label, columns, rows, rowKey, expectedRows = 8, isStale, rowClass }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section class={`table-frame${isStale ? ' is-stale' : ''}`} aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                class={classOf(column)}
                style={{ minWidth: column.minWidth }}
                aria-sort={column.sort}
              >
                {column.header ?? <Title {...column} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <tr key={rowKey(row)} class={rowClass?.(row)}>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  <Cell column={column} row={row} />
                </td>
              ))}
            </tr>
          ))}
          {rows === undefined &&
            Array.from({ length: expectedRows }, (_, index) => (
              <tr key={index}>
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    <Skeleton />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

const ARROWS = { ascending: ' ↑', descending: ' ↓', none: '' };

function Title({ title, isTitleHidden, onSort, sort = 'none' }: Omit<Column<never>, 'cell'>) {
  if (!onSort) return <span class={isTitleHidden ? 'visually-hidden' : undefined}>{title}</span>;
  return (
    <button type="button" class="quiet-link" title="Orders the rows of this page" onClick={onSort}>
      {title}
      <span aria-hidden="true">{ARROWS[sort]}</span>
    </button>
  );
}

function Cell<Row>({ column: { cell, href, badge, narrow }, row }: { column: Column<Row>; row: Row }) {
  const content = href ? <RowLink href={href(row)}>{cell(row)}</RowLink> : cell(row);
  return (
    <>
      {badge ? (
        <span class="row cell-with-badge">
          {content}
          {badge(row)}
        </span>
      ) : (
        content
      )}
      {narrow && <p class="narrow-only small muted cut">{narrow(row)}</p>}
    </>
  );
}

/** The link to the page of a row: what `j`, `k` and Enter move to and open. The whole row can be clicked. */
export function RowLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} class="row-link" data-row>
      {children}
    </a>
  );
}

function classOf({ isWideOnly, isNumber, isMain }: Column<never>): string | undefined {
  const names = [isWideOnly && 'wide-only', isNumber && 'number-cell', isMain && 'main-cell'].filter(Boolean);
  return names.length > 0 ? names.join(' ') : undefined;
}
