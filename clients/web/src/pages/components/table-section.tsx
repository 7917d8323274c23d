import { Badge, StatusBadge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Facts } from '../../components/facts.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { HOSTILE_TEXT } from './sample-texts.ts';
import { Sample, Section } from './section.tsx';

interface Row {
  id: string;
  name: string;
  status: string;
  tasks: number;
  at: string;
}

const NOW = Date.now();
const ROWS: readonly Row[] = [
  { id: '1', name: 'Release notes writer', status: 'active', tasks: 12_345, at: new Date(NOW - 4_000).toISOString() },
  { id: '2', name: 'Invoice reader', status: 'error', tasks: 7, at: new Date(NOW - 4_000_000).toISOString() },
  { id: '3', name: HOSTILE_TEXT, status: 'idle', tasks: 0, at: new Date(NOW + 90_000_000).toISOString() },
];

const COLUMNS: Column<Row>[] = [
  { key: 'name', title: 'Name', isMain: true, cell: ({ name }) => <RowLink href="#tables">{safeLine(name)}</RowLink> },
  { key: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { key: 'tasks', title: 'Tasks', isNumber: true, isWideOnly: true, cell: ({ tasks }) => count(tasks) },
  { key: 'at', title: 'Changed', isWideOnly: true, minWidth: '7rem', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    key: 'menu',
    title: 'Actions',
    isTitleHidden: true,
    isNumber: true,
    cell: ({ id, name }) => (
      <Menu isIcon label={<span aria-hidden="true">⋯</span>} name={`Actions for ${safeLine(name)} (${id})`}>
        <MenuItem onSelect={() => {}}>Edit…</MenuItem>
        <MenuItem onSelect={() => {}} disabled>
          Pause…
        </MenuItem>
        <MenuItem onSelect={() => {}} isDangerous>
          Delete…
        </MenuItem>
      </Menu>
    ),
  },
];

export function TableSection({ isLoading }: { isLoading: boolean }) {
  const shared = { columns: COLUMNS, rowKey: ({ id }: Row) => id, expectedRows: 3 };
  return (
    <Section title="Tables, facts and empty states">
      <Sample label="Rows; the whole row is a link">
        <Table label="Agents" rows={ROWS} {...shared} />
      </Sample>
      {isLoading && (
        <>
          <Sample label="Rows of the query before">
            <Table label="Agents of the query before" rows={ROWS} isStale {...shared} />
          </Sample>
          <Sample label="On its way: as high as the rows">
            <Table label="Agents on their way" rows={undefined} {...shared} />
          </Sample>
          <SkeletonLines lines={3} />
        </>
      )}
      <Sample label="Nothing there">
        <EmptyState title="No agents match these filters" actions={<a href="#tables">Show all agents</a>}>
          An agent is a queue of tasks, which workers take.
        </EmptyState>
      </Sample>
      <Sample label="Facts">
        <Facts
          facts={[
            ['Name', 'Build worker'],
            ['Access', <Badge key="access">worker</Badge>],
            ['Left out', undefined],
            ['Message', safeLine(HOSTILE_TEXT)],
          ]}
        />
      </Sample>
    </Section>
  );
}
