import { createIdentityKeys } from '@agent-fleet/access/keys';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { connectAs } from '../support/callers.ts';
import { startReplicas } from '../support/replicas.ts';

test('moves to the audit trail within seconds what a replica leaves that is killed after the change', async () => {
  const replicas = await startReplicas([0, 0]);
  const { redis, ports } = replicas;
  const { audit } = createIdentityKeys('fleet');
  try {
    // Until the key is deleted, nothing can be moved.
    await redis.set(audit, 'no stream');
    const ids: string[] = [];
    for (const port of [...ports, ...ports]) {
      ids.push(await connectAs(`http://127.0.0.1:${port}`, 'user:ada@example.com').createAgent());
    }
    await replicas.kill(0);
    await redis.del(audit);
    const read = () => redis.xrange(audit, '-', '+');
    await until(async () => (await read()).length > 0, { timeoutMs: 6_000 });
    expect((await read()).map(([, [, json]]) => JSON.parse(json as string).target.id)).toEqual(ids);
  } finally {
    await replicas.close();
  }
});
