import type { components } from '@agent-fleet/sdk';
import { StartWorkerButton, WorkerHelp } from '../../agents/commands.tsx';
import { Badge, DotBadge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Column, timeColumn } from '../../components/table.tsx';
import { useAddress } from '../../frame/address.ts';
import { Page } from '../../frame/page.tsx';
import { ListPart, NoRows } from '../../list/list-part.tsx';
import { useList } from '../../list/use-list.ts';
import { leasesQuery, workersQuery } from '../../requests/agents.ts';
import { currentTime } from '../../text/clock.ts';
import { count, plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { dayAndMonth, hoursAndMinutes } from '../../text/times.ts';
import { RunningTasks, useLeases } from './running-tasks.tsx';
import './workers.css';

type WorkerInfo = components['schemas']['WorkerInfo'];

const SHOWN_TYPES = 3;

const COLUMNS: readonly Column<WorkerInfo>[] = [
  { title: 'State', cell: (worker) => <State worker={worker} /> },
  { title: 'Takes', isWideOnly: true, cell: (worker) => <span class="cut takes">{takes(worker)}</span> },
  { title: 'Labels', isWideOnly: true, cell: ({ labels }) => <LabelList labels={labels} /> },
  { title: 'Running', isNumber: true, cell: ({ leases }) => <Amount value={leases} /> },
  { title: 'Completed', isNumber: true, isWideOnly: true, cell: ({ completed }) => <Amount value={completed} /> },
  { title: 'Failed', isNumber: true, isWideOnly: true, cell: ({ failed }) => <Amount value={failed} /> },
  {
    title: 'Address',
    isWideOnly: true,
    cell: ({ client }) => <span class="mono small">{client === null ? '–' : safeLine(client)}</span>,
  },
  timeColumn('Last seen', ({ last_seen_at }) => last_seen_at, { isWideOnly: true, isNumber: true }),
];

export function WorkersPage() {
  const address = useAddress();
  const query = workersQuery(address.query);
  const workers = useList('/workers', query, {
    everyMs: 5_000,
    minIntervalMs: 2_000,
    reloadOn: ({ type }) => type === 'task.leased',
  });
  const leases = useLeases(address.query);
  const isEmpty = workers.data?.rows.length === 0 && query.skip === 0;
  const chosen = leasesQuery(address.query).worker_id;

  return (
    <Page
      title="Workers"
      isReady={(workers.data ?? workers.error) !== undefined && (leases.data ?? leases.error) !== undefined}
      actions={!isEmpty && <StartWorkerButton isProminent />}
    >
      <div class="stack-tight">
        <ListPart
          what="workers"
          label="Workers"
          list={workers}
          columns={[
            {
              title: 'Worker',
              isMain: true,
              href: ({ worker_id }) => address.hrefOf({ worker_id, lease_skip: undefined, lease_after: undefined }),
              cell: ({ worker_id }) => safeLine(worker_id),
              narrow: (worker) => (
                <>
                  {[takes(worker), ...worker.labels.map(safeLine)].join(', ')} ·{' '}
                  <RelativeTime at={worker.last_seen_at} />
                </>
              ),
            },
            ...COLUMNS,
          ]}
          rowKey={({ worker_id }) => worker_id}
          rowClass={({ worker_id }) => (worker_id === chosen ? 'is-selected' : undefined)}
          expectedRows={5}
          empty={isEmpty ? <NoWorkers /> : <NoRows what="workers" total={workers.data?.total} />}
          pager={{ limit: query.limit, isAlwaysShown: true }}
        />
      </div>
      {!(isEmpty && leases.data?.rows.length === 0) && (
        <RunningTasks address={address} leases={leases} workerId={chosen} />
      )}
    </Page>
  );
}

function NoWorkers() {
  return (
    <EmptyState title="No worker has been seen in the last hour">
      <div class="workers-help">
        <WorkerHelp />
      </div>
    </EmptyState>
  );
}

/** As the API counts them. */
const LOST_MS = 5 * 60_000;

const PROVIDERS: Record<string, string> = { anthropic: 'Anthropic', openai: 'OpenAI', google: 'Google' };

/** `waits until 14:30 for Anthropic's limit` */
function waitText({ provider, until, reason }: WorkerInfo['paused'][number]): string {
  const time = new Date(until);
  const isToday = time.toDateString() === new Date(currentTime()).toDateString();
  const what =
    provider === null ? safeLine(reason ?? 'its limit') : `${PROVIDERS[provider] ?? safeLine(provider)}'s limit`;
  return `waits until ${isToday ? '' : `${dayAndMonth(time)} `}${hoursAndMinutes(time)} for ${what}`;
}

function State({ worker: { polling, leases, last_seen_at, paused } }: { worker: WorkerInfo }) {
  if (leases > 0) {
    return (
      <DotBadge tone="info" isLive>
        working
      </DotBadge>
    );
  }
  if (polling && paused.length > 0) return <Badge tone="warn">{paused.map(waitText).join('; ')}</Badge>;
  if (polling) return <DotBadge tone="ok">ready</DotBadge>;
  const isLost = currentTime() - Date.parse(last_seen_at) >= LOST_MS;
  return isLost ? <Badge tone="error">lost</Badge> : <Badge>not polling</Badge>;
}

/** Whose tasks it asks for. */
function takes({ types, agent_ids: agents }: WorkerInfo): string {
  const more = types.length - SHOWN_TYPES;
  const named = types.slice(0, SHOWN_TYPES).map(safeLine).join(', ');
  const ofTypes = more > 0 ? `${named} and ${more} more` : named;
  const ofAgents = agents.length > 0 ? plural(agents.length, 'agent') : '';
  return [ofTypes, ofAgents].filter(Boolean).join(', ') || '–';
}

function LabelList({ labels }: { labels: readonly string[] }) {
  const text = labels.map(safeLine).join(', ');
  return (
    <span class="cut takes small" title={text}>
      {text || '–'}
    </span>
  );
}

function Amount({ value }: { value: number }) {
  return <span class={value === 0 ? 'muted' : undefined}>{count(value)}</span>;
}
