import type { Event } from '@agent-fleet/sdk';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getAny } from '../api/use-get.ts';
import { useQuery } from '../api/use-query.ts';
import { toListPage } from '../list/list-page.ts';
import type { List } from '../list/use-list.ts';
import { isSearch, type TaskQuery } from '../requests/tasks.ts';
import { type TaskRow, type TaskRows, takeAnswer } from './task-rows.ts';

const MIN_RELOAD_MS = 2_000;

export interface TaskOrder {
  name: string;
  sort: (rows: readonly TaskRow[]) => readonly TaskRow[];
}

export interface TaskList {
  /** Its rows are those that are shown. */
  list: List<TaskRow>;
  /** How many tasks are there that are not shown, while the rows are held. */
  waiting: number;
  /** Loads the tasks and shows them, also while the rows are held: after an action of the user. */
  refresh: () => void;
  /** Shows what waits. */
  show: () => void;
}

/** The tasks of a query, live. `isHeld`: no row comes, goes or moves, but what rows say is brought up to date. */
export function useTaskList(query: TaskQuery, isHeld: boolean, order?: TaskOrder): TaskList {
  const key = JSON.stringify([query, order?.name]);
  const { data, ...list } = useQuery(
    key,
    async (signal) => {
      const page = toListPage<TaskRow>(await getAny('/tasks', { params: { query }, signal }), isSearch(query));
      return { key, ...page, rows: order?.sort(page.rows) ?? page.rows };
    },
    { reloadOn: (event) => changesList(event, query), minIntervalMs: MIN_RELOAD_MS },
  );
  const [shown, setShown] = useState<TaskRows>();
  const held = useRef(isHeld);
  held.current = isHeld;
  const isRefreshing = useRef(false);
  useLayoutEffect(() => {
    if (!data) return;
    const mayMove = isRefreshing.current || !held.current;
    isRefreshing.current = false;
    setShown((before) => takeAnswer(before, data, !mayMove));
  }, [data]);
  useEffect(() => {
    if (data && !isHeld) setShown((before) => takeAnswer(before, data, false));
  }, [isHeld]);
  return {
    list: { ...list, data: data && shown && { ...data, rows: shown.rows } },
    waiting: shown?.waiting ?? 0,
    refresh() {
      isRefreshing.current = true;
      list.reload();
    },
    show: () => data && setShown((before) => takeAnswer(before, data, false)),
  };
}

/** Whether a list of these tasks may be another one after an event. */
function changesList({ type, agent_id }: Event, query: TaskQuery): boolean {
  if (!type.startsWith('task.') && type !== 'agent.deleted') return false;
  return query.agent_id === undefined || query.agent_id === agent_id;
}
