import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Command, Write } from './lock.ts';

const TASKS_PER_STEP = 200;
/** What the end of each record becomes. */
const END =
  ',"skills":null,"workspace":null,"model":null,"output_schema":null,"max_cost":null,"continue_of":null,"usage":null,"cost":null}';

/** From layout 2 to 3: adds the fields for workers that are agents to tasks, of which only the ends are written. */
export async function addAgentFields(redis: RedisClient, prefix: string, write: Write): Promise<void> {
  const base = `${prefix}:{default}:`;
  const progress = `${base}migration`;
  let last = await redis.hget(progress, 'extended');
  for (;;) {
    const start = last === null ? '-' : `(${last}`;
    const ids = await redis.zrange(`${base}tasks`, start, '+', 'BYLEX', 'LIMIT', 0, TASKS_PER_STEP);
    last = ids.at(-1) ?? null;
    if (last === null) break;
    const commands = await Promise.all(ids.map((id) => toCommands(redis, `${base}task:${id}`)));
    await write([...commands.flat(), ['HSET', progress, 'extended', last]]);
  }
  await write([['DEL', progress]]);
}

/** A record that has the fields stays: the end of this migration may be repeated. */
async function toCommands(redis: RedisClient, key: string): Promise<Command[]> {
  const [length, end] = await Promise.all([redis.strlen(key), redis.getrange(key, -END.length, -1)]);
  return length === 0 || end === END ? [] : [['SETRANGE', key, length - 1, END]];
}
