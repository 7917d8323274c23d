import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { expect, test } from '@jest/globals';
import { createKeys } from '../src/redis/keys.ts';
import { loadFleetScript } from '../src/redis/scripts.ts';

const TYPES = Array.from({ length: 30 }, (_, at) => `type-${at}`);
const COUNT = 50;

test('reads the head of each type once per script, while the agents of all types take turns', async () => {
  const server = await startTestRedis();
  own(server.close);
  const redis = connectRedis(server.url, createLogger('test', 'silent'));
  own(() => redis.disconnect());
  const keys = createKeys(uniquePrefix('agents'));
  await waitForRedis(redis, 20_000);
  const agents = [...TYPES, ...TYPES].map((type, turn) => ({ type, agent: `agent-${turn}`, turn }));
  for (const { type, agent, turn } of agents) {
    await redis.zadd(keys.ready(type), turn, agent);
    for (const number of [1, 2]) {
      await redis.zadd(keys.queue(agent), number, `${agent}/${number}`);
      await redis.set(keys.task(`${agent}/${number}`), `${agent}/${number}`);
    }
  }
  await redis.set(`${keys.prefix}turns`, agents.length);
  await redis.config('RESETSTAT');
  const peekTasks = loadFleetScript({ ...storeOn(redis), keys }, 'leases/peek-tasks');
  const replies = await peekTasks(
    Array.from({ length: COUNT / 2 }, (_, at) => ({ types: TYPES, max: 2, offers: [], worker: `w${at}` })),
  );
  const tasks = replies.flatMap((reply) => (reply as unknown[]).slice(1).filter(Boolean));
  expect(tasks).toEqual(agents.slice(0, COUNT).map(({ agent }) => `${agent}/1`));
  const stats = await redis.info('commandstats');
  const callsOf = (command: string) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1]);
  // A task requires a look at its queue, and the next one at the new head of its type.
  expect(callsOf('zrange')).toBe(TYPES.length + 2 * COUNT - 1);
  // No task is reserved for any of the workers.
  expect(callsOf('exists')).toBe(1);
});
