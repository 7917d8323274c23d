import type { components } from '@agent-fleet/sdk';
import { FleetEvents } from '../../activity/event-panel.tsx';
import { StatsPlots, useSeries, WindowButtons } from '../../activity/series.tsx';
import { FleetUsage } from '../../activity/usage.tsx';
import { may } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { Figures } from '../../components/figures.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { openRequests } from '../../frame/open-requests.ts';
import { Page } from '../../frame/page.tsx';
import { fleetFigures } from './figures.ts';
import { FirstSteps } from './first-steps.tsx';
import { QueueTable, useQueueDetails } from './queue-table.tsx';
import { toQueues } from './queues.ts';
import './overview.css';

/** As many as a page of the API has. */
const WORKERS_QUERY = { limit: 1_000 } as const;
const OPTIONS = { everyMs: 15_000, minIntervalMs: 2_000, reloadOn: () => true };

export function OverviewPage() {
  const stats = useGet('/stats', {}, OPTIONS);
  const workers = useGet('/workers', { query: WORKERS_QUERY }, OPTIONS);
  const series = useSeries();
  const details = useQueueDetails(stats.data?.oldest_pending);
  const queues = stats.data && toQueues(stats.data, workers.data);

  const isNew = useIsNew(stats.data);
  const isSettled = series.hasData || series.error !== undefined;

  return (
    <Page
      title="Overview"
      isReady={isNew || ((isNew ?? stats.error) !== undefined && isSettled)}
      actions={!isNew && <WindowButtons />}
    >
      {stats.error !== undefined && !stats.data && (
        <ErrorNotice title="The figures could not be loaded" error={stats.error} onRetry={stats.reload} />
      )}
      {isNew && stats.data && queues ? (
        <FirstSteps
          types={queues.map(({ type }) => type)}
          hasAgents={stats.data.agents.total > 0}
          hasWorkers={stats.data.workers > 0}
        />
      ) : (
        <>
          <Figures figures={fleetFigures(isNew === undefined ? undefined : stats.data, openRequests.value)} />
          <QueueTable queues={queues} details={details} />
          {stats.data && <FleetUsage usage={stats.data.usage} />}
          <StatsPlots series={series} />
        </>
      )}
      {may('events:read') && <FleetEvents />}
    </Page>
  );
}

/** Later than this after the first agent, the tasks are gone rather than yet to come. */
const NEW_MS = 86_400_000;
const OLDEST_AGENT = { query: { order: 'asc', limit: 1, fields: 'created_at' } } as const;

/** Whether the fleet has had no task yet, as far as can be told: ended tasks are deleted. Undefined until known. */
function useIsNew(stats: components['schemas']['Stats'] | undefined): boolean | undefined {
  const hasNone = stats?.tasks.total === 0;
  const { data, error } = useGet('/agents', hasNone ? OLDEST_AGENT : null);
  if (!stats) return undefined;
  if (!hasNone || stats.agents.total === 0) return hasNone;
  if (error !== undefined) return false;
  if (data === undefined) return undefined;
  return !data[0] || Date.parse(data[0].created_at) > Date.parse(stats.at) - NEW_MS;
}
