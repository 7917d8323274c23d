import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Command, Write } from './lock.ts';

/** Tasks per step: 200 writes take less than 1 ms. */
const TASKS_PER_STEP = 100;
/** Records per read, as each may have 1.5 MB. */
const RECORDS_PER_READ = 25;

/** From layout 1 to 2: adds the tasks that have a worker to the indexes by worker. */
export async function indexByWorker(redis: RedisClient, prefix: string, write: Write): Promise<void> {
  const base = `${prefix}:{default}:`;
  const progress = `${base}migration`;
  let last = await redis.hget(progress, 'indexed');
  for (;;) {
    const start = last === null ? '-' : `(${last}`;
    const ids = await redis.zrange(`${base}tasks`, start, '+', 'BYLEX', 'LIMIT', 0, TASKS_PER_STEP);
    last = ids.at(-1) ?? null;
    if (last === null) break;
    const commands: Command[] = [];
    for (let at = 0; at < ids.length; at += RECORDS_PER_READ) {
      const records = await redis.mget(ids.slice(at, at + RECORDS_PER_READ).map((id) => `${base}task:${id}`));
      for (const record of records) commands.push(...toCommands(record, base));
    }
    await write([...commands, ['HSET', progress, 'indexed', last]]);
  }
  await write([['DEL', progress]]);
}

function toCommands(record: string | null, base: string): Command[] {
  if (record === null) return [];
  const {
    id,
    status,
    worker_id: worker,
  } = JSON.parse(record) as Record<'id' | 'status', string> & {
    worker_id: string | null;
  };
  if (worker === null) return [];
  const index = `${base}tasks:worker:${encodeURIComponent(worker.toWellFormed())}`;
  return [
    ['ZADD', index, 0, id],
    ['ZADD', `${index}:status:${status}`, 0, id],
  ];
}
