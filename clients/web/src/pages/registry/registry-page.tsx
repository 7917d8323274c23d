import { useGet } from '../../api/use-get.ts';
import { Badge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { type Figure, Figures } from '../../components/figures.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page } from '../../frame/page.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { CorrectionsPanel, RejectedPanel } from './record-panels.tsx';
import type { RegistryStatus } from './registry-status.ts';
import { RefusedPanel, SourcePanel } from './source-panel.tsx';
import './registry.css';

const RELOAD_MS = 30_000;

export function RegistryPage() {
  const status = useGet('/api/registry/status', {}, { everyMs: RELOAD_MS });
  const { data, error } = status;
  return (
    <Page
      title="Registry"
      isReady={data !== undefined || error !== undefined}
      actions={
        <>
          <LinkButton href="/">Catalogue</LinkButton>
          <LinkButton href="/api/feed.atom">Atom feed</LinkButton>
        </>
      }
    >
      {error !== undefined && (
        <ErrorNotice title="The state of the registry could not be loaded" error={error} onRetry={status.reload} />
      )}
      {(data || error === undefined) && (
        <>
          <div class="stack-tight">
            <Figures figures={registryFigures(data)} />
            <Snapshot status={data} />
          </div>
          <SourcePanel sources={data?.sources} />
        </>
      )}
      {data && (
        <>
          <RefusedPanel sources={data.sources} />
          <ChangesPanel snapshotId={data.snapshot_id} />
          <CorrectionsPanel status={data} />
          <RejectedPanel status={data} />
        </>
      )}
    </Page>
  );
}

/** Which state is served, and whether it is fresh. */
function Snapshot({ status }: { status: RegistryStatus | undefined }) {
  if (!status) return <p class="registry-snapshot" />;
  const { snapshot_id, fetched_at, checked_at, stale } = status;
  return (
    <p class="registry-snapshot row small muted">
      {stale ? <Badge tone="warn">may be out of date</Badge> : <Badge tone="ok">fresh</Badge>}
      <span>
        Snapshot <code title={safeLine(snapshot_id)}>{safeLine(snapshot_id.slice(0, 12))}</code>, built{' '}
        <RelativeTime at={fetched_at} />
        {checked_at && (
          <>
            , sources checked <RelativeTime at={checked_at} />
          </>
        )}
        . {stale ? 'What was read before goes on being served.' : 'The registry checks its sources by itself.'}
      </span>
    </p>
  );
}

function registryFigures(status: RegistryStatus | undefined): Figure[] {
  const { counts, sources } = status ?? {};
  return [
    { label: 'Skills', value: counts?.skills },
    { label: 'Categories', value: counts?.categories },
    { label: 'Tags', value: counts?.tags },
    { label: 'Sources', value: sources?.length },
    { label: 'Rejected', value: counts?.rejected, tone: counts?.rejected ? 'error' : undefined },
    { label: 'Corrections', value: counts?.warnings, tone: counts?.warnings ? 'warn' : undefined },
  ];
}
