import { type components, FleetError } from '@agent-fleet/sdk';
import { signal } from '@preact/signals';
import { fleet } from '../../../api/fleet.ts';
import { resetForUser } from '../../../api/session.ts';
import type { TaskRow } from '../../../tasks/task-rows.ts';
import type { BulkFilter, BulkVerb } from './bulk-verbs.ts';

export type BulkFailure = components['schemas']['BulkActionFailure'];

/** An action on many tasks, as far as it has come. */
export interface BulkRun {
  action: components['schemas']['BulkAction']['action'];
  state: 'running' | 'completed' | 'stopped';
  matched: number;
  done: number;
  failed: number;
  failures: readonly BulkFailure[];
  stop: () => Promise<void>;
}

/** The last one of this tab; it goes on while other pages are open. */
export const bulkRun = signal<BulkRun | undefined>(undefined);

resetForUser(dismissBulkRun);

export function dismissBulkRun(): void {
  bulkRun.value = undefined;
}

type BulkAction = components['schemas']['BulkAction'];

const POLL_MS = 700;
/** Survives a reload of the page. */
const ITEM = 'fleet.bulk-action';

/** How many tasks an action would change. @throws FleetError */
export async function countMatches(action: BulkVerb, filter: BulkFilter, signal: AbortSignal): Promise<number> {
  const { data } = await fleet.post('/bulk-actions', { body: { action, filter, dry_run: true }, signal });
  return data.matched;
}

/** Begins a bulk action and follows it. Resolves when it has begun. @throws FleetError */
export async function runByFilter(action: BulkVerb, filter: BulkFilter): Promise<void> {
  const { data } = await fleet.post('/bulk-actions', { body: { action, filter } });
  if (!('id' in data)) return;
  const begun = { id: data.id, action, state: 'running', matched: data.matched, done: 0, failed: 0 } as const;
  show({ ...begun, failures: [] });
  sessionStorage.setItem(ITEM, data.id);
  void follow(data.id);
}

/** Follows the action that was under way when the page was left. */
export function resumeBulkAction(): void {
  const id = sessionStorage.getItem(ITEM);
  if (id !== null) void follow(id);
}

let followed: string | undefined;

async function follow(id: string): Promise<void> {
  if (followed === id) return;
  followed = id;
  for (let isRunning = true; isRunning; ) {
    const action = await read(id);
    if (action === 'gone') dismissBulkRun();
    else if (action) show(action);
    isRunning = action !== 'gone' && action?.state !== 'completed' && action?.state !== 'stopped';
    if (isRunning) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  sessionStorage.removeItem(ITEM);
}

/** Undefined while the fleet is unavailable: the action goes on. */
async function read(id: string): Promise<BulkAction | 'gone' | undefined> {
  try {
    return (await fleet.get('/bulk-actions/{id}', { params: { path: { id } } })).data;
  } catch (error) {
    const isFinal = error instanceof FleetError && [401, 403, 404].includes(error.status);
    return isFinal ? 'gone' : undefined;
  }
}

/** Its end is seen by `follow`, also if it has ended by itself meanwhile. @throws FleetError */
async function stop(id: string): Promise<void> {
  try {
    await fleet.delete('/bulk-actions/{id}', { params: { path: { id } } });
  } catch (error) {
    if (!(error instanceof FleetError && error.status === 409)) throw error;
  }
}

function show({ id, action, state, matched, done, failed, failures }: Omit<BulkAction, 'created_at' | 'ended_at'>) {
  const run: BulkRun = { action, state, matched, done, failed, failures, stop: () => stop(id) };
  bulkRun.value = run;
}

const MAX_REQUESTS = 4;
const MAX_FAILURES = 100;

type TaskRef = Pick<TaskRow, 'id' | 'agent_id'>;

/** Changes some tasks one by one, a few at a time. What is under way when it is stopped still ends. */
export async function runSelected(action: BulkVerb, tasks: readonly TaskRef[]): Promise<void> {
  const waiting = [...tasks];
  let isStopped = false;
  let run: BulkRun = {
    action,
    state: 'running',
    matched: tasks.length,
    done: 0,
    failed: 0,
    failures: [],
    async stop() {
      isStopped = true;
      waiting.length = 0;
    },
  };
  const update = (changes: Partial<BulkRun>) => {
    run = { ...run, ...changes };
    bulkRun.value = run;
  };
  const runNext = async (): Promise<void> => {
    for (let task = waiting.shift(); task; task = waiting.shift()) {
      const code = await change(action, task);
      if (code === undefined) update({ done: run.done + 1 });
      else
        update({ failed: run.failed + 1, failures: [...run.failures, toFailure(task, code)].slice(0, MAX_FAILURES) });
    }
  };
  update({});
  await Promise.all(Array.from({ length: MAX_REQUESTS }, runNext));
  update({ state: isStopped ? 'stopped' : 'completed' });
}

/** Returns the code of the error; undefined when it is done. */
async function change(action: BulkVerb, { agent_id, id }: TaskRef): Promise<string | undefined> {
  const params = { path: { agent_id, task_id: id } };
  try {
    if (action === 'cancel') await fleet.put('/agents/{agent_id}/tasks/{task_id}/cancellation', { params });
    else if (action === 'retry') await fleet.post('/agents/{agent_id}/tasks/{task_id}/retries', { params });
    else await fleet.delete('/agents/{agent_id}/tasks/{task_id}', { params });
    return undefined;
  } catch (error) {
    if (!(error instanceof FleetError)) return 'error';
    return action === 'delete' && error.status === 404 ? undefined : error.code;
  }
}

function toFailure({ agent_id, id }: TaskRef, code: string) {
  return { agent_id, task_id: id, code };
}
