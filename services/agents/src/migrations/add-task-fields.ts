import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Command, Write } from './lock.ts';

const TASKS_PER_STEP = 200;

/** Returns a migration that adds fields to tasks, of which only the ends are written: `end` is what each becomes. */
export function addTaskFields(end: string) {
  return async (redis: RedisClient, prefix: string, write: Write): Promise<void> => {
    const base = `${prefix}:{default}:`;
    const progress = `${base}migration`;
    let last = await redis.hget(progress, 'extended');
    for (;;) {
      const start = last === null ? '-' : `(${last}`;
      const ids = await redis.zrange(`${base}tasks`, start, '+', 'BYLEX', 'LIMIT', 0, TASKS_PER_STEP);
      last = ids.at(-1) ?? null;
      if (last === null) break;
      const commands = await Promise.all(ids.map((id) => toCommands(redis, `${base}task:${id}`, end)));
      await write([...commands.flat(), ['HSET', progress, 'extended', last]]);
    }
    await write([['DEL', progress]]);
  };
}

/** A record that has the fields stays: the end of a migration may be repeated. */
async function toCommands(redis: RedisClient, key: string, end: string): Promise<Command[]> {
  const [length, found] = await Promise.all([redis.strlen(key), redis.getrange(key, -end.length, -1)]);
  return length === 0 || found === end ? [] : [['SETRANGE', key, length - 1, end]];
}
