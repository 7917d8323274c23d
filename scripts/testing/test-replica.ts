import { processIdOf } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import type { Redis } from 'ioredis';
import { replicationArgs, startTestRedis, withConnections } from './test-redis.ts';

async function untilLinked(master: Redis): Promise<void> {
  await master.set('linked', 'x');
  await until(async () => (await master.wait(1, 100)) === 1, { message: 'the replica is linked' });
}

/** A master with one replica, which has all writes unless it is stopped. */
export async function startWithReplica() {
  const options = { password: 'x'.repeat(32), args: replicationArgs(0) };
  const [master, replica] = await Promise.all([startTestRedis(options), startTestRedis(options)]);
  let pid = 0;
  await withConnections([master, replica], async (connections) => {
    const [one, other] = connections as [Redis, Redis];
    pid = await processIdOf(other);
    await other.replicaof('127.0.0.1', master.port);
    await untilLinked(one);
  });
  return {
    url: master.url,
    stopReplica: () => process.kill(pid, 'SIGSTOP'),
    /** Resolves when it has all writes again. */
    async resumeReplica() {
      process.kill(pid, 'SIGCONT');
      await withConnections([master], ([one]) => untilLinked(one as Redis));
    },
    /** Ends both. */
    async close() {
      await Promise.all([master.close(), replica.close()]);
    },
  };
}
