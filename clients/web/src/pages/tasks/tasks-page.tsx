import { useMemo, useRef, useState } from 'preact/hooks';
import { useAgents } from '../../agents/agent-names.ts';
import { fleet } from '../../api/fleet.ts';
import { may } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { useAddress } from '../../frame/address.ts';
import { Page } from '../../frame/page.tsx';
import { toTaskFilter, toTaskQuery } from '../../requests/tasks.ts';
import { NewTaskDialog } from '../../tasks/task-form.tsx';
import { useHold, useTaskList } from '../../tasks/task-list.ts';
import { plural } from '../../text/numbers.ts';
import { BulkActions } from './bulk/bulk-bar.tsx';
import { EmptyTasks } from './empty-tasks.tsx';
import { StatusTabs } from './status-tabs.tsx';
import { TaskFilters } from './task-filters.tsx';
import { TaskTable, useSelection } from './task-table.tsx';

const STATS_MIN_RELOAD_MS = 2_000;
const MAX_SKELETON_ROWS = 20;

export function TasksPage() {
  const address = useAddress();
  const [isCreating, setCreating] = useState(false);
  const query = toTaskQuery(address.query);
  const filter = toTaskFilter(address.query);
  const hold = useHold();
  const selectionSize = useRef(0);
  const isHeld = hold.isHeld || selectionSize.current > 0 || query.skip > 0;
  const list = useTaskList(query, isHeld);
  const selection = useSelection(JSON.stringify(query), list.rows);
  selectionSize.current = selection.rows.length;
  const agents = useAgents();
  const statsQuery = useStats();
  const stats = statsQuery.data;
  const types = Object.keys(stats?.tasks.by_type ?? {});
  // A thousand agents to choose from are not compared again each time a row changes.
  const filters = useMemo(
    () => <TaskFilters address={address} query={query} types={types} agents={agents.data ?? []} />,
    [address.query.toString(), types.join(), agents.data],
  );
  // What to do first depends on whether there are agents.
  const isKnown = Object.keys(filter).length > 0 || stats !== undefined || statsQuery.error !== undefined;
  const hasNone = list.rows?.length === 0 && !list.isStale;
  const mayWrite = may('tasks:write');
  return (
    <Page
      title="Tasks"
      isReady={(list.rows !== undefined && (!hasNone || isKnown)) || list.error !== undefined}
      actions={mayWrite && <NewTaskButton onClick={() => setCreating(true)} />}
    >
      <div class="stack">
        <StatusTabs filter={filter} stats={stats} hrefOf={(status) => hrefOf(address.query, { status })} />
        {filters}
        {list.error !== undefined && (
          <ErrorNotice title="The tasks could not be loaded" error={list.error} onRetry={list.reload} />
        )}
        {hasNone && isKnown ? (
          <EmptyTasks
            filter={filter}
            total={list.total}
            firstHref={hrefOf(address.query, {})}
            stats={stats}
            agents={agents.data}
            onCreate={() => setCreating(true)}
          />
        ) : (
          <div class="task-list" {...hold.handlers}>
            {list.waiting > 0 && <MoreTasks number={list.waiting} onShow={list.show} />}
            <TaskTable
              rows={hasNone ? undefined : list.rows}
              expectedRows={Math.min(query.limit, MAX_SKELETON_ROWS)}
              isStale={list.isStale && list.rows !== undefined}
              areAgentsKnown={agents.data !== undefined}
              selection={mayWrite ? selection : undefined}
            />
          </div>
        )}
        {!hasNone && (
          <Pager
            skip={query.skip}
            limit={list.loaded || query.limit}
            total={list.total}
            hrefOf={(skip) => hrefOf(address.query, { skip: skip === 0 ? undefined : String(skip) })}
          />
        )}
      </div>
      {mayWrite && <BulkActions selection={selection} filter={filter} total={list.total} onEnd={list.refresh} />}
      {isCreating && (
        <NewTaskDialog agentId={query.agent_id} onClose={() => setCreating(false)} onCreated={list.refresh} />
      )}
    </Page>
  );
}

function useStats() {
  const load = async (signal: AbortSignal) => (await fleet.get('/stats', { signal })).data;
  const reloadOn = ({ type }: { type: string }) => type !== 'task.progress';
  return useQuery('stats', load, { reloadOn, minIntervalMs: STATS_MIN_RELOAD_MS });
}

function NewTaskButton({ onClick }: { onClick: () => void }) {
  return (
    <Button kind="primary" onClick={onClick}>
      Create task
    </Button>
  );
}

/** Above the first row, so that nothing moves. */
function MoreTasks({ number, onShow }: { number: number; onShow: () => void }) {
  return (
    <div class="task-more" role="status">
      <Button isSmall kind="primary" onClick={onShow}>
        {plural(number, 'new task')} · Show
      </Button>
    </div>
  );
}

/** The page with other parameters; another filter begins with the first rows. */
function hrefOf(query: URLSearchParams, changes: Record<string, string | undefined>): string {
  const next = new URLSearchParams(query);
  if (!('skip' in changes)) next.delete('skip');
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text ? `/console/tasks?${text}` : '/console/tasks';
}
