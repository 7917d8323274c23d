import { useAgentNames, useAgents } from '../../agents/agent-names.ts';
import { StartWorkerButton, WorkerHelp } from '../../agents/commands.tsx';
import { fleet } from '../../api/fleet.ts';
import { totalCount } from '../../api/total-count.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Address, useAddress } from '../../frame/address.ts';
import { Page } from '../../frame/page.tsx';
import { leasesQuery, workersQuery } from '../../requests/workers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { type Leases, LeaseTable, useLeases, useMessages } from './running-tasks.tsx';
import { WorkerTable } from './worker-table.tsx';

const RELOAD_MS = 5_000;

export function WorkersPage() {
  const address = useAddress();
  const query = workersQuery(address.query);
  const workers = useQuery(
    JSON.stringify(query),
    async (signal) => {
      const { data, response } = await fleet.get('/workers', { params: { query }, signal });
      return { rows: data, total: totalCount(response) };
    },
    { everyMs: RELOAD_MS, minIntervalMs: 2_000, reloadOn: ({ type }) => type === 'task.leased' },
  );
  const leases = useLeases(address.query);
  const { rows, total } = workers.data ?? {};
  const isEmpty = rows?.length === 0 && query.skip === 0;
  const workerId = leasesQuery(address.query).worker_id;

  return (
    <Page
      title="Workers"
      isReady={(rows !== undefined || workers.error !== undefined) && (leases.data ?? leases.error) !== undefined}
      actions={!isEmpty && <StartWorkerButton isProminent />}
    >
      {workers.error !== undefined && !workers.data && (
        <ErrorNotice title="The workers could not be loaded" error={workers.error} onRetry={workers.reload} />
      )}
      {isEmpty ? (
        <EmptyState title="No worker has been seen in the last five minutes">
          <div class="workers-help">
            <WorkerHelp />
          </div>
        </EmptyState>
      ) : (
        <div class="stack-tight">
          <WorkerTable
            workers={rows}
            chosen={workerId}
            hrefOf={(worker_id) => address.hrefOf({ worker_id, lease_skip: undefined })}
          />
          <Pager
            {...query}
            total={total}
            hrefOf={(skip) => address.hrefOf({ skip: skip ? String(skip) : undefined })}
          />
        </div>
      )}
      {!(isEmpty && leases.data?.rows.length === 0) && (
        <RunningTasks address={address} leases={leases} workerId={workerId} />
      )}
    </Page>
  );
}

interface RunningTasksProps {
  address: Address;
  leases: Query<Leases>;
  workerId: string | undefined;
}

/** What the workers hold, or one of them. */
function RunningTasks({ address, leases, workerId }: RunningTasksProps) {
  const { data, error, isStale, reload } = leases;
  const messages = useMessages(address.query);
  const known = useAgents();
  const agents = useAgentNames(data?.rows.map(({ agent_id }) => agent_id) ?? [], known.data !== undefined);
  const query = leasesQuery(address.query);
  return (
    <Panel
      title="Running tasks"
      isFlush
      actions={
        workerId && (
          <Chip name={`the filter by ${safeLine(workerId)}`} onRemove={() => address.set({ worker_id: undefined })}>
            {safeLine(workerId)}
          </Chip>
        )
      }
    >
      {error !== undefined && (isStale || !data) && (
        <ErrorNotice title="The running tasks could not be loaded" error={error} onRetry={reload} />
      )}
      {data?.rows.length === 0 && data.total === 0 && !isStale ? (
        <p class="event-empty muted">{workerId ? 'This worker is not running any task.' : 'No task is running.'}</p>
      ) : (
        <>
          <LeaseTable leases={data?.rows} messages={messages} agents={agents} isStale={isStale && !!data} />
          {data && (data.total > query.limit || query.skip > 0) && (
            <div class="panel-pager">
              <Pager
                label="Pages of running tasks"
                {...query}
                total={data.total}
                hrefOf={(skip) => address.hrefOf({ lease_skip: skip ? String(skip) : undefined })}
              />
            </div>
          )}
        </>
      )}
    </Panel>
  );
}
