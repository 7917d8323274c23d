import type { components } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { type Column, Table } from '../../components/table.tsx';
import { compact, count } from '../../text/numbers.ts';
import { costText } from '../../text/spent.ts';

export type Spent = components['schemas']['Spent'];

interface SpentTableProps<Row> {
  /** Of what spends, such as "Model". */
  title: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  name: (row: Row) => ComponentChildren;
}

/** Tokens and cost. */
export function SpentTable<Row extends Spent>({ title, rows, rowKey, name }: SpentTableProps<Row>) {
  const columns: Column<Row>[] = [
    { key: 'name', title, isMain: true, cell: name },
    { key: 'attempts', title: 'Attempts', isNumber: true, isWideOnly: true, cell: ({ attempts }) => count(attempts) },
    { key: 'input', title: 'Tokens in', isNumber: true, isWideOnly: true, cell: (row) => compact(row.input_tokens) },
    { key: 'output', title: 'Tokens out', isNumber: true, isWideOnly: true, cell: (row) => compact(row.output_tokens) },
    { key: 'cost', title: 'Cost', isNumber: true, cell: ({ cost }) => costText(cost) },
  ];
  return <Table label={`Usage by ${title.toLowerCase()}`} columns={columns} rows={rows} rowKey={rowKey} />;
}
