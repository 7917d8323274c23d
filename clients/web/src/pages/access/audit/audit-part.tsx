import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Button, LinkButton } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNotice, explain, Notice } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import { type Address, useAddress } from '../../../frame/address.ts';
import type { PartProps } from '../parts.ts';
import { useReady } from '../use-ready.ts';
import { useRecord } from '../use-record.ts';
import { AuditEventDialog } from './audit-event-dialog.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { toAuditFilter, toAuditQuery } from './audit-query.ts';
import { AuditTable } from './audit-table.tsx';
import { downloadEvents } from './download-events.ts';

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
