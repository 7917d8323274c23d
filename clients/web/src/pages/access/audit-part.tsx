import { useState } from 'preact/hooks';
import { fleet, fleetFetch } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ErrorNotice, explain, Notice } from '../../components/notice.tsx';
import { saveFile } from '../../components/save-file.ts';
import { type Column, RowLink, Table } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { type Address, useAddress } from '../../frame/address.ts';
import { type AuditFilter, toAuditFilter, toAuditQuery } from '../../requests/access.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { type AuditEvent, AuditEventDialog, actorFilter, actorLabel, FAMILIES, targetLabel } from './audit-event.tsx';
import { type PartProps, useReady } from './part.ts';
import { useRecord } from './use-record.ts';

const RELOAD_MS = 10_000;

export function AuditPart({ onReady }: PartProps) {
  const address = useAddress();
  const query = toAuditQuery(address.query);
  const filter = toAuditFilter(address.query);
  const list = useQuery(
    JSON.stringify(query),
    async (signal) => {
      const { data, response } = await fleet.get('/audit-events', { params: { query }, signal });
      return { rows: data, next: nextOf(response.headers.get('link')) };
    },
    { everyMs: query.after ? undefined : RELOAD_MS },
  );
  useReady(list, onReady);
  const { rows, next } = list.data ?? {};
  const eventId = address.query.get('event');
  const shown = useRecord(eventId, rows).record;
  const isAbsent = eventId !== null && rows !== undefined && !list.isStale && !shown;
  const close = () => address.set({ event: undefined }, true);
  const isEmpty = rows?.length === 0 && !list.isStale;

  return (
    <div class="stack">
      <div class="row access-bar">
        <AuditFilters key={JSON.stringify(filter)} filter={filter} address={address} />
        <span class="end">
          <DownloadButton filter={filter} />
        </span>
      </div>
      {list.error !== undefined && (list.isStale || !rows) && (
        <ErrorNotice title="The audit trail could not be loaded" error={list.error} onRetry={list.reload} />
      )}
      {isAbsent && (
        <Notice tone="info" title="This event is not on this page" actions={<Button onClick={close}>Close</Button>}>
          It may be older, or the filters leave it out.
        </Notice>
      )}
      {isEmpty ? (
        <EmptyState title={Object.keys(filter).length > 0 ? 'No events match these filters' : 'No older events'}>
          {next && 'None of the 10,000 newest events matches. Older ones may.'}
        </EmptyState>
      ) : (
        (rows || list.error === undefined) && (
          <AuditTable rows={rows} isStale={list.isStale && rows !== undefined} address={address} />
        )
      )}
      {rows && <Older address={address} isFirst={!query.after} next={next} />}
      {shown && <AuditEventDialog event={shown} onClose={close} />}
    </div>
  );
}

function Older({ address, isFirst, next }: { address: Address; isFirst: boolean; next: string | undefined }) {
  return (
    <nav class="row" aria-label="Pages">
      <p class="muted">{isFirst && 'The newest events, loaded again every 10 seconds.'}</p>
      <span class="row end">
        {!isFirst && (
          <LinkButton isSmall href={address.hrefOf({ after: undefined })}>
            Newest
          </LinkButton>
        )}
        {next && (
          <LinkButton isSmall href={address.hrefOf({ after: next })}>
            Older
          </LinkButton>
        )}
      </span>
    </nav>
  );
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

/** Where the next page begins. */
function nextOf(link: string | null): string | undefined {
  const target = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return (target && new URL(target, location.origin).searchParams.get('after')) || undefined;
}

interface AuditTableProps {
  rows: readonly AuditEvent[] | undefined;
  isStale: boolean;
  address: Address;
}

const SKELETON_ROWS = 12;

function AuditTable({ rows, isStale, address }: AuditTableProps) {
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

interface AuditFiltersProps {
  filter: AuditFilter;
  address: Address;
}

/** Texts must match as a whole, so they apply with Enter. */
function AuditFilters({ filter, address }: AuditFiltersProps) {
  const [actor, setActor] = useState(filter.actor ?? '');
  const [target, setTarget] = useState(filter.target ?? '');
  const { action = '' } = filter;
  const isListed = action === '' || FAMILIES.some(({ value }) => value === action);
  const set = (changes: AuditFilter) => address.set({ ...changes, after: undefined });
  const isChanged = actor !== (filter.actor ?? '') || target !== (filter.target ?? '');

  function submit(event: Event): void {
    event.preventDefault();
    set({ actor: actor.trim(), target: target.trim() });
  }

  return (
    <form class="access-filters" onSubmit={submit}>
      <SelectField
        label="Action"
        isLabelHidden
        value={action}
        options={[
          { value: '', label: 'All actions' },
          ...FAMILIES,
          ...(isListed ? [] : [{ value: action, label: safeLine(action) }]),
        ]}
        onChange={(value) => set({ action: value })}
      />
      <TextField
        label="Actor"
        isLabelHidden
        type="search"
        isSearch
        placeholder="Actor: e-mail, name or id"
        value={actor}
        onInput={setActor}
      />
      <TextField
        label="Target"
        isLabelHidden
        type="search"
        placeholder="Target: id"
        value={target}
        onInput={setTarget}
      />
      {isChanged && <Button type="submit">Filter</Button>}
      {!isChanged && Object.keys(filter).length > 0 && (
        <Button kind="quiet" onClick={() => set({ actor: '', action: '', target: '' })}>
          Clear
        </Button>
      )}
    </form>
  );
}

/** Saves all events that match as a file with one event a line. @throws Error */
async function downloadEvents(filter: AuditFilter): Promise<void> {
  const events = new URL(`/audit-events?${new URLSearchParams(filter as Record<string, string>)}`, location.origin);
  const response = await fleetFetch(events.href, { headers: { accept: 'application/x-ndjson' } });
  if (!response.ok) throw new Error(`The fleet responded with the status ${response.status}.`);
  saveFile(await response.blob(), `audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
}
