import { Badge } from '../../../components/badge.tsx';
import { type Column, RowLink, Table } from '../../../components/table.tsx';
import type { Address } from '../../../frame/address.ts';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { type AuditEvent, actorFilter, actorLabel, targetLabel } from './audit-event.ts';

interface AuditTableProps {
  rows: readonly AuditEvent[] | undefined;
  isStale: boolean;
  address: Address;
}

const SKELETON_ROWS = 12;

export function AuditTable({ rows, isStale, address }: AuditTableProps) {
  const filterHref = (changes: Record<string, string>) => address.hrefOf({ ...changes, after: undefined });
  const columns: Column<AuditEvent>[] = [
    { key: 'at', title: 'When', minWidth: '7rem', cell: ({ at }) => <RelativeTime at={at} /> },
    {
      key: 'action',
      title: 'Action',
      isMain: true,
      cell: (event) => <ActionCell event={event} href={address.hrefOf({ event: event.id })} />,
    },
    {
      key: 'actor',
      title: 'Actor',
      minWidth: '14rem',
      isWideOnly: true,
      cell: ({ actor }) => (
        <a class="cell-link cut access-owner" href={filterHref({ actor: actorFilter(actor) })}>
          {actorLabel(actor)}
        </a>
      ),
    },
    {
      key: 'target',
      title: 'Target',
      minWidth: '11rem',
      isWideOnly: true,
      cell: ({ target }) =>
        target && (
          <a class="cell-link" href={filterHref({ target: target.id })}>
            {targetLabel(target)}
          </a>
        ),
    },
    {
      key: 'address',
      title: 'Address',
      isWideOnly: true,
      minWidth: '5.5rem',
      cell: ({ address: from }) => <span class="cut access-address">{safeLine(from ?? '')}</span>,
    },
  ];
  return (
    <Table
      label="Audit events"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      expectedRows={SKELETON_ROWS}
      isStale={isStale}
    />
  );
}

/** On narrow screens also what has no column there. */
function ActionCell({ event: { action, outcome, actor, target }, href }: { event: AuditEvent; href: string }) {
  return (
    <>
      <span class="row access-name">
        <RowLink href={href}>
          <code>{safeLine(action)}</code>
        </RowLink>
        {outcome === 'failure' && <Badge tone="error">failure</Badge>}
      </span>
      <span class="narrow-only small muted cut">
        {actorLabel(actor)}
        {target && ` · ${targetLabel(target)}`}
      </span>
    </>
  );
}
