import { fleet } from '../../api/fleet.ts';
import { may } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Page } from '../../frame/page.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { FleetEvents } from './fleet-events.tsx';
import { FleetUsage } from './fleet-usage.tsx';
import { QueueTable } from './queue-table.tsx';
import { isUnserved, toQueues } from './queues.ts';
import { StatsPlots } from './stats-plots.tsx';
import { useIsNew } from './use-is-new.ts';
import { useQueueDetails } from './use-queue-details.ts';
import { useSeries } from './use-series.ts';
import { WindowButtons } from './window-buttons.tsx';

/** As many as a page of the API has. */
const WORKERS_QUERY = { limit: 1_000 } as const;
const OPTIONS = { everyMs: 15_000, minIntervalMs: 2_000, reloadOn: () => true };

export function OverviewPage() {
  const stats = useQuery('stats', (signal) => fleet.get('/stats', { signal }).then(({ data }) => data), OPTIONS);
  const workers = useQuery(
    'workers',
    (signal) => fleet.get('/workers', { params: { query: WORKERS_QUERY }, signal }).then(({ data }) => data),
    OPTIONS,
  );
  const series = useSeries();
  const details = useQueueDetails(stats.data?.oldest_pending);
  const queues = stats.data && toQueues(stats.data, workers.data);
  const unserved = queues?.filter((queue) => isUnserved(queue, workers.data)) ?? [];

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
          <Figures stats={isNew === undefined ? undefined : stats.data} />
          <QueueTable queues={queues} details={details} unserved={unserved} />
          {stats.data && <FleetUsage usage={stats.data.usage} />}
          <StatsPlots series={series} />
        </>
      )}
      {may('events:read') && <FleetEvents />}
    </Page>
  );
}
