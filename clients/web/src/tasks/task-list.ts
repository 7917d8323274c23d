import type { Event } from '@agent-fleet/sdk';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { createBatch } from '../api/batch.ts';
import { fleet } from '../api/fleet.ts';
import { useLive } from '../api/live.ts';
import { useQuery } from '../api/use-query.ts';
import { toListPage } from '../list/list-page.ts';
import type { List } from '../list/use-list.ts';
import type { TaskQuery } from '../requests/tasks.ts';
import { type TaskRow, type TaskRows, takeAnswer, takeEvents } from './task-rows.ts';

const MIN_RELOAD_MS = 2_000;
const MIN_RENDER_MS = 250;

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
export function useTaskList(query: TaskQuery, isHeld: boolean): TaskList {
  const key = JSON.stringify(query);
  const { data, ...list } = useQuery(
    key,
    async (signal) => {
      return { key, ...toListPage<TaskRow>(await fleet.get('/tasks', { params: { query }, signal })) };
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
  useLiveRows((events) => setShown((before) => before && takeEvents(before, events)));
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

/** Whether a list of these tasks may have others after an event. What only changes a row needs no request. */
function changesList({ type, agent_id }: Event, query: TaskQuery): boolean {
  if (type === 'task.progress' || (!type.startsWith('task.') && type !== 'agent.deleted')) return false;
  return query.agent_id === undefined || query.agent_id === agent_id;
}

/** Passes events on a few times a second: rows that change more often cannot be read. */
function useLiveRows(onEvents: (events: readonly Event[]) => void): void {
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const [batch] = useState(() =>
    createBatch<Event>(
      () => MIN_RENDER_MS,
      (events) => latest.current(events),
    ),
  );
  useLive((events) => {
    for (const event of events) batch.add(event);
  });
  useEffect(() => batch.drop, []);
}

/** Whether somebody points at the list, or is in it with the keyboard: its rows stay where they are. */
export function useHold() {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  // What is removed under the pointer, or with the focus, sends no event.
  useLayoutEffect(() => {
    if (!list.current) setPointed(false);
    if (!list.current?.contains(document.activeElement)) setFocused(false);
  });
  return {
    isHeld: isPointed || isFocused,
    handlers: {
      ref: list,
      onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      onFocusOut: () => setFocused(false),
    },
  };
}
