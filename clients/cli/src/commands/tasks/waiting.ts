import { FleetError } from '@agent-fleet/sdk';
import { duration, relativeTime } from '@agent-fleet/sdk/words';
import type { Context } from '../../context.ts';
import type { TaskRef } from '../../lookup.ts';

const POLL_MS = 5_000;

/** Why a task waits, as a sentence for people; undefined if it does not. */
async function explainWaiting({ fleet, signal }: Context, { agentId, taskId }: TaskRef): Promise<string | undefined> {
  const path = { agent_id: agentId, task_id: taskId };
  const [{ data: waiting }, { data: agent }] = await Promise.all([
    fleet().get('/agents/{agent_id}/tasks/{task_id}/waiting', { params: { path }, signal }),
    fleet().get('/agents/{agent_id}', { params: { path: { agent_id: agentId } }, signal }),
  ]);
  const { reason, since, until, worker_id, ahead, accepts = [], on = [] } = waiting;
  const worker = [`no worker for ${agent.type}`, accepts.length > 0 && `that accepts ${accepts.join(', ')}`].filter(
    Boolean,
  );
  switch (reason) {
    case 'paused':
      return `its agent was paused ${relativeTime(since)}: fleet agents resume ${agentId}`;
    case 'dependencies':
      return `it comes after ${on.length === 1 ? 'a task' : `${on.length} tasks`}: fleet tasks graph ${taskId}`;
    case 'scheduled':
      return 'its start is scheduled for later';
    case 'retry_delay':
      return 'the last attempt failed, and the next one has a delay';
    case 'provider_quota':
      return `its provider takes no more calls until ${until}`;
    case 'reserved':
      return `it goes on at the worker ${worker_id}: for a while only this one may start it`;
    case 'no_worker':
      return since === null
        ? `${worker.join(' ')} has asked for tasks: fleet worker --help`
        : `${worker.join(' ')} has asked for ${duration((Date.now() - Date.parse(since)) / 1000)}`;
    case 'in_line':
      return ahead === 0 ? 'it is the next one' : `${ahead} tasks go before it`;
    default:
      return undefined;
  }
}

/** Says on stderr why a task waits, when it changes, until the returned function is called. */
export function sayWhyItWaits(context: Context, task: TaskRef): () => void {
  let last: string | undefined;
  const check = async () => {
    try {
      const why = await explainWaiting(context, task);
      if (why !== undefined && why !== last) context.out.note(`The task waits: ${why}`);
      last = why ?? last;
    } catch (error) {
      // It is a service to the reader; the command itself reports what fails.
      if (!(error instanceof FleetError) && !context.signal.aborted) throw error;
    }
  };
  if (context.out.isJson || context.out.isQuiet) return () => {};
  const first = setTimeout(check, 1_000);
  const timer = setInterval(check, POLL_MS);
  return () => {
    clearTimeout(first);
    clearInterval(timer);
  };
}

/** The same once, for a task that is shown. */
export async function whyItWaits(context: Context, task: TaskRef): Promise<string | undefined> {
  try {
    return await explainWaiting(context, task);
  } catch (error) {
    if (error instanceof FleetError) return undefined;
    throw error;
  }
}
