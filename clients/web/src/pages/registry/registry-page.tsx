import { useGet } from '../../api/use-get.ts';
import { Badge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { RecentPanel } from './recent-panel.tsx';
import { CorrectionsPanel, RejectedPanel } from './record-panels.tsx';
import type { RegistryStatus } from './registry-status.ts';
import { RefusedPanel, SourcePanel } from './source-panel.tsx';
import '../../components/styles/figures.css';
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
            <RegistryFigures status={data} />
            <Snapshot status={data} />
          </div>
          <SourcePanel sources={data?.sources} />
        </>
      )}
      {data && (
        <>
          <RefusedPanel sources={data.sources} />
          <div class="registry-grid">
            <RecentPanel />
            <ChangesPanel snapshotId={data.snapshot_id} />
            <CorrectionsPanel status={data} />
          </div>
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

interface Figure {
  label: string;
  toValue: (status: RegistryStatus) => number;
  /** Of a number that is not zero. */
  tone?: 'warn' | 'error';
}

const FIGURES: readonly Figure[] = [
  { label: 'Skills', toValue: ({ counts }) => counts.skills },
  { label: 'Categories', toValue: ({ counts }) => counts.categories },
  { label: 'Tags', toValue: ({ counts }) => counts.tags },
  { label: 'Sources', toValue: ({ sources }) => sources.length },
  { label: 'Rejected', toValue: ({ counts }) => counts.rejected, tone: 'error' },
  { label: 'Corrections', toValue: ({ counts }) => counts.warnings, tone: 'warn' },
];

function RegistryFigures({ status }: { status: RegistryStatus | undefined }) {
  return (
    <dl class="figures registry-figures">
      {FIGURES.map(({ label, toValue, tone }) => {
        const value = status && toValue(status);
        return (
          <div key={label} class="figure" data-zero={value === 0 || undefined}>
            <dt class="figure-label">
              {tone && !!value && <span class={`dot figure-dot-${tone}`} aria-hidden="true" />}
              {label}
            </dt>
            <dd class="figure-value">{value === undefined ? <Skeleton width="3ch" /> : count(value)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
