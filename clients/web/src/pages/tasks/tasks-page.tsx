import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAgentNames, useAgents } from '../../agents/agent-names.ts';
import { may } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { useAddress } from '../../frame/address.ts';
import { Page } from '../../frame/page.tsx';
import { StatusTabs } from '../../list/filters.tsx';
import { ListPart } from '../../list/list-part.tsx';
import { useStatusCounts } from '../../list/status-counts.ts';
import { useHold } from '../../list/use-hold.ts';
import { isSearch, toTaskFilter, toTaskQuery } from '../../requests/tasks.ts';
import { taskColumns } from '../../tasks/task-cells.tsx';
import { NewTaskDialog } from '../../tasks/task-form.tsx';
import { useTaskList } from '../../tasks/task-list.ts';
import { plural } from '../../text/numbers.ts';
import { TASK_STATUSES } from '../../text/statuses.ts';
import { BulkActions } from './bulk/bulk-bar.tsx';
import { chosenColumns, orderOf } from './columns.tsx';
import { EmptyTasks } from './empty-tasks.tsx';
import { searchedText } from './filter-values.ts';
import { selectionColumn, useSelection } from './selection.tsx';
import { TaskFilters } from './task-filters.tsx';
import './tasks.css';

const STATS_OPTIONS = { reloadOn: ({ type }: { type: string }) => type !== 'task.progress', minIntervalMs: 2_000 };
const MAX_SKELETON_ROWS = 20;

export function TasksPage() {
  const location = useAddress();
  const { query: address } = location;
  const { dialog, open } = useDialog();
  const query = toTaskQuery(address);
  const { status: _, ...filter } = toTaskFilter(address);
  const hold = useHold();
  const selectionSize = useRef(0);
  const isHeld = hold.isHeld || selectionSize.current > 0;
  const { list, waiting, show, refresh } = useTaskList(query, isHeld, orderOf(address));
  const { rows = [], total, next } = list.data ?? {};
  const selection = useSelection(JSON.stringify(query), rows);
  selectionSize.current = selection.rows.length;
  const agents = useAgents();
  const names = useAgentNames(
    rows.map(({ agent_id }) => agent_id),
    agents.data !== undefined,
  );
  const stats = useGet('/stats', {}, STATS_OPTIONS);
  const types = Object.keys(stats.data?.tasks.by_type ?? {});
  // A thousand agents to choose from are not compared again each time a row changes.
  const filters = useMemo(
    () => <TaskFilters query={query} types={types} agents={agents.data ?? []} />,
    [address.toString(), types.join(), agents.data],
  );
  const isFiltered = Object.keys(filter).length > 0;
  const counted = isFiltered && list.data ? filter : undefined;
  const counts = useStatusCounts('/tasks', counted, TASK_STATUSES, isSearch(filter));
  // What to do first depends on whether there are agents.
  const isKnown = isFiltered || query.status !== undefined || (stats.data ?? stats.error) !== undefined;
  const hasNone = list.data?.rows.length === 0 && !list.isStale;
  const mayWrite = may('tasks:write');
  const shownRows = useFirstRows(list.data?.rows);
  const columns = chosenColumns(taskColumns(names), location);
  const create = () => open((close) => <NewTaskDialog agentId={query.agent_id} onClose={close} onCreated={refresh} />);
  // The key `c` of other pages leads here.
  useEffect(() => {
    if (!address.has('create')) return;
    location.set({ create: undefined }, true);
    if (mayWrite) create();
  }, [address.get('create')]);
  return (
    <Page
      title="Tasks"
      isReady={(list.data !== undefined && (!hasNone || isKnown)) || list.error !== undefined}
      actions={
        mayWrite && (
          <Button kind="primary" onClick={create} data-create>
            Create task
          </Button>
        )
      }
    >
      <div class="stack">
        <StatusTabs statuses={TASK_STATUSES} counts={isFiltered ? counts : stats.data?.tasks} />
        {filters}
        <ListPart
          what="tasks"
          label="Tasks"
          list={{ ...list, data: list.data && shownRows && { ...list.data, rows: shownRows } }}
          columns={mayWrite ? [selectionColumn(rows, selection), ...columns] : columns}
          rowKey={({ id }) => id}
          rowClass={({ id }) => (selection.ids.has(id) ? 'is-selected' : undefined)}
          expectedRows={Math.min(query.limit, MAX_SKELETON_ROWS)}
          empty={
            isKnown ? (
              <EmptyTasks
                isFiltered={isFiltered || query.status !== undefined}
                total={total}
                isPartial={next !== undefined}
                hasAgents={stats.data?.agents.total !== 0}
                agent={agents.data?.[0]}
                onCreate={mayWrite ? create : undefined}
              />
            ) : undefined
          }
          frame={(table) => (
            <div class="task-list" {...hold.handlers}>
              {waiting > 0 && <MoreTasks number={waiting} onShow={show} />}
              {table}
            </div>
          )}
          pager={{ limit: query.limit, isAlwaysShown: true, note: searchedText(rows.length, next, query.order) }}
        />
      </div>
      {mayWrite && <BulkActions selection={selection} filter={toTaskFilter(address)} total={total} onEnd={refresh} />}
      {dialog}
    </Page>
  );
}

/** As many as a window shows. */
const FIRST_ROWS = 16;

/** The first rows at once, and all of them after the first paint: on slow devices the page is there sooner. */
function useFirstRows<Row>(rows: readonly Row[] | undefined): readonly Row[] | undefined {
  const [isPainted, setPainted] = useState(false);
  const hasRows = rows !== undefined;
  useEffect(() => {
    if (!hasRows) return;
    const timer = setTimeout(() => setPainted(true));
    return () => clearTimeout(timer);
  }, [hasRows]);
  return isPainted ? rows : rows?.slice(0, FIRST_ROWS);
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
