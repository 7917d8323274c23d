import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';
import { Button, LinkButton } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useAddress } from '../frame/address.ts';
import { Pager, type PagerProps } from './pager.tsx';
import type { List } from './use-list.ts';
import './list.css';

interface ListPartProps<Row> {
  /** Completes "The … could not be loaded", such as "agents". */
  what: string;
  /** The name of the table for screen readers. */
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  rowClass?: (row: Row) => string | undefined;
  /** How many rows the skeleton has. */
  expectedRows?: number;
  /** In the place of the table when there are no rows; undefined while it is not known what to say. */
  empty: ComponentChildren;
  /** Around the table. */
  frame?: (table: ComponentChildren) => ComponentChildren;
  /** Undefined: all rows are on one page. */
  pager?: Omit<PagerProps, 'page'> & {
    /** Whether a single page has one, too, which says how many rows there are. */
    isAlwaysShown?: boolean;
    frame?: (pager: ComponentChildren) => ComponentChildren;
  };
}

/** A list: its rows or a skeleton of them, what to say without any, why it could not be loaded, and its pages. */
export function ListPart<Row>({ what, list, empty, frame = same, pager, ...table }: ListPartProps<Row>) {
  const { data, error, isStale, reload } = list;
  const isEmpty = data?.rows.length === 0 && !isStale;
  return (
    <>
      {error !== undefined && <ErrorNotice title={`The ${what} could not be loaded`} error={error} onRetry={reload} />}
      {isEmpty && empty !== undefined
        ? empty
        : (data || error === undefined) &&
          frame(<Table {...table} rows={isEmpty ? undefined : data?.rows} isStale={isStale && data !== undefined} />)}
      {pager && <ListPager list={list} pager={pager} />}
    </>
  );
}

function ListPager<Row>({ list: { data }, pager }: Required<Pick<ListPartProps<Row>, 'list' | 'pager'>>) {
  const { isAlwaysShown = false, frame = same, ...props } = pager;
  const { query } = useAddress();
  const { skipName = 'skip' } = props;
  const isFirst = !query.has(skipName) && !query.has(skipName.replace('skip', 'after'));
  const { total = 0, next } = data ?? {};
  if (data?.total === 0 && isFirst) return null;
  if (!isAlwaysShown && isFirst && !next && total <= props.limit) return null;
  return <>{frame(<Pager page={data} {...props} />)}</>;
}

function same(children: ComponentChildren): ComponentChildren {
  return children;
}

interface NoRowsProps {
  /** Such as "agents". */
  what: string;
  /** How many match: of all pages. */
  total: number | undefined;
  /** Whether others are still to be looked at: on the next page. */
  isPartial?: boolean;
  children?: ComponentChildren;
}

/** In the place of rows, where there are others on another page or without filters. */
export function NoRows({ what, total, isPartial, children }: NoRowsProps) {
  const { path } = useLocation();
  if (total) return <EmptyState title={`No ${what} on this page`} />;
  return (
    <EmptyState
      title={isPartial ? `No ${what} found yet` : `No ${what} match these filters`}
      actions={<LinkButton href={path}>Clear filters</LinkButton>}
    >
      {children}
    </EmptyState>
  );
}

interface ListBarProps {
  /** Such as how many rows there are; undefined while it is not known. */
  text?: string;
  /** In the place of the text. */
  start?: ComponentChildren;
  /** What can be done with the list. */
  children?: ComponentChildren;
}

/** A line above a list. */
export function ListBar({ text = '\u00a0', start, children }: ListBarProps) {
  return (
    <div class="row list-bar">
      {start || (
        <p class="muted number" aria-live="polite">
          {text}
        </p>
      )}
      {children && <span class="end">{children}</span>}
    </div>
  );
}

interface RecordErrorProps {
  /** Such as "key". */
  what: string;
  /** Of `useRecord`. */
  error: unknown;
  onClose: () => void;
}

/** Why the record that the address names is not shown. */
export function RecordError({ what, error, onClose }: RecordErrorProps) {
  if (error === undefined) return null;
  const actions = <Button onClick={onClose}>Show all {what}s</Button>;
  return <ErrorNotice title={`This ${what} could not be loaded`} error={error} actions={actions} />;
}
