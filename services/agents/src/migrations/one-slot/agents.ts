import { type FleetEvents, toOldEvent } from './fleet-events.ts';
import type { Context } from './keys.ts';
import { type AgentOfTasks, createMoveTasks } from './tasks.ts';

/** The result moves an agent with its tasks and events. Of a deleted agent only events are left to be moved. */
export function createMoveAgent(context: Context, fleetEvents: FleetEvents) {
  const { redis, old, keys, write } = context;
  const moveTasks = createMoveTasks(context);

  return async (id: string): Promise<void> => {
    const [record, seq, entries] = await Promise.all([
      redis.get(old.agent(id)),
      redis.get(old.seq(id)),
      redis.xrange(old.events(id), '-', '+'),
    ]);
    const events = entries.map(toOldEvent);
    const missing = await fleetEvents.addMissing(id, events);
    if (record === null) return;

    const { type, status } = JSON.parse(record) as { type: string; status: string };
    const first = events[0]?.number ?? 1;
    const agent: AgentOfTasks = { id, type, beforeKept: first - 1, lastEvents: new Map(), missing };
    const stream = keys.of('events', id);
    const copies = events.map(({ number, taskId, fields }) => {
      const before = taskId && (agent.lastEvents.get(taskId) ?? agent.beforeKept);
      if (taskId) agent.lastEvents.set(taskId, number);
      return ['XADD', stream, `${number}-0`, ...fields, 'p', before || 0];
    });
    const lastArrival = await moveTasks(agent);

    const [head, tail] = splitAtStatus(record, status);
    const last = Math.max(Number(seq), events.at(-1)?.number ?? 0);
    const fields = { head, status, tail, type, events: last, arrivals: lastArrival };
    const hasWork = (await redis.zcard(keys.of('queue', id))) > 0;
    // In microseconds. An agent without a turn comes first.
    const turn = hasWork && ((await redis.zscore(old.fleet(`ready:${type}`), id)) ?? 0);
    await write([
      ['DEL', stream],
      ...copies,
      ['HSET', keys.of(`agent:${id}`), ...Object.entries(fields).flat()],
      ...keys.agentIndexes(type, status).map((index) => ['ZADD', index, 0, id]),
      ...(hasWork ? [['ZADD', keys.of(`ready:${type}`), Math.floor(Number(turn) / 1_000), id]] : []),
    ]);
    await redis.unlink(old.agent(id), old.seq(id), old.events(id));
  };
}

/** JSON escapes quotes in texts, so only the field itself matches. */
function splitAtStatus(record: string, status: string): [string, string] {
  const start = record.lastIndexOf(`"status":"${status}","created_at":"`) + '"status":"'.length;
  return [record.slice(0, start), record.slice(start + status.length)];
}
