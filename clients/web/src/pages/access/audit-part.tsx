import { useState } from 'preact/hooks';
import { fleetFetch } from '../../api/fleet.ts';
import { FLEET_URL } from '../../api/prefix.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { saveFile } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { explain, Notice } from '../../components/notice.tsx';
import { type Column, timeColumn } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { type Address, useAddress } from '../../frame/address.ts';
import { type Filter, Filters } from '../../list/filters.tsx';
import { ListBar, ListPart, NoRows } from '../../list/list-part.tsx';
import { useList, useRecord } from '../../list/use-list.ts';
import { type AuditFilter, toAuditFilter, toAuditQuery } from '../../requests/access.ts';
import { safeLine } from '../../text/safe-text.ts';
import { type AuditEvent, AuditEventDialog, actorFilter, actorLabel, FAMILIES, targetLabel } from './audit-event.tsx';
import { type PartProps, useReady } from './part.ts';

const FILTERS: readonly Filter[] = [
  { kind: 'select', name: 'action', label: 'Action', options: [{ value: '', label: 'All actions' }, ...FAMILIES] },
  { kind: 'text', name: 'actor', label: 'Actor: e-mail, name or id', isSearch: true },
  { kind: 'text', name: 'target', label: 'Target: id' },
];

export function AuditPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toAuditQuery(address.query);
  const filter = toAuditFilter(address.query);
  const list = useList('/audit-events', query, {
    everyMs: query.after ? undefined : 10_000,
  });
  useReady(list, onReady);
  const { rows, next } = list.data ?? {};
  const eventId = address.query.get('event');
  const shown = useRecord(eventId, rows).record;
  const isAbsent = eventId !== null && rows !== undefined && !list.isStale && !shown;
  const close = () => address.set({ event: undefined }, true);

  return (
    <div class="stack">
      <ListBar start={<Filters filters={FILTERS} clears={FILTERS.map(({ name }) => name)} />}>
        <DownloadButton filter={filter} />
      </ListBar>
      {isAbsent && (
        <Notice tone="info" title="This event is not on this page" actions={<Button onClick={close}>Close</Button>}>
          It may be older, or the filters leave it out.
        </Notice>
      )}
      <ListPart
        what="audit trail"
        label="Audit events"
        list={list}
        columns={columnsOf(address)}
        rowKey={({ id }) => id}
        expectedRows={12}
        empty={
          Object.keys(filter).length > 0 ? (
            <NoRows what="events" total={undefined}>
              {next && 'None of the 10,000 newest events matches. Older ones may.'}
            </NoRows>
          ) : (
            <EmptyState title="No older events" />
          )
        }
        pager={{
          limit: query.limit,
          isAlwaysShown: true,
          note: query.after ? undefined : 'The newest events, loaded again every 10 seconds.',
        }}
      />
      {shown && <AuditEventDialog event={shown} onClose={close} />}
    </div>
  );
}

function columnsOf(address: Address): Column<AuditEvent>[] {
  const filterHref = (changes: Record<string, string>) => address.hrefOf({ ...changes, after: undefined });
  return [
    timeColumn('When', ({ at }) => at, { minWidth: '7rem' }),
    {
      title: 'Action',
      isMain: true,
      href: ({ id }) => address.hrefOf({ event: id }),
      cell: ({ action }) => <code>{safeLine(action)}</code>,
      badge: ({ outcome }) => outcome === 'failure' && <Badge tone="error">failure</Badge>,
      narrow: ({ actor, target }) => `${actorLabel(actor)}${target ? ` · ${targetLabel(target)}` : ''}`,
    },
    {
      title: 'Actor',
      minWidth: '14rem',
      isWideOnly: true,
      cell: ({ actor }) => (
        <a class="quiet-link cut access-owner" href={filterHref({ actor: actorFilter(actor) })}>
          {actorLabel(actor)}
        </a>
      ),
    },
    {
      title: 'Target',
      minWidth: '11rem',
      isWideOnly: true,
      cell: ({ target }) =>
        target && (
          <a class="quiet-link" href={filterHref({ target: target.id })}>
            {targetLabel(target)}
          </a>
        ),
    },
    {
      title: 'Address',
      isWideOnly: true,
      minWidth: '5.5rem',
      cell: ({ address: from }) => <span class="cut access-address">{safeLine(from ?? '')}</span>,
    },
  ];
}

function DownloadButton({ filter }: { filter: Parameters<typeof downloadEvents>[0] }) {
  const [isBusy, setBusy] = useState(false);

  async function download(): Promise<void> {
    setBusy(true);
    await downloadEvents(filter).catch((error: unknown) => toast(`Not downloaded: ${explain(error)}`, 'error'));
    setBusy(false);
  }

  return (
    <Button isBusy={isBusy} onClick={() => void download()}>
      Download NDJSON
    </Button>
  );
}

/** Saves all events that match as a file with one event a line. @throws Error */
async function downloadEvents(filter: AuditFilter): Promise<void> {
  const events = new URL(`${FLEET_URL}/audit-events?${new URLSearchParams(filter as Record<string, string>)}`);
  const response = await fleetFetch(events.href, { headers: { accept: 'application/x-ndjson' } });
  if (!response.ok) throw new Error(`The fleet responded with the status ${response.status}.`);
  saveFile(await response.blob(), `audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
}
