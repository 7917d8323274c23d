import { FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../../api/fleet.ts';
import type { TaskRow } from '../task-rows.ts';
import { type BulkRun, bulkRun } from './bulk-run.ts';
import type { BulkVerb } from './bulk-verbs.ts';

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
