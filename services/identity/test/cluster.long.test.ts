import { startTestCluster } from '@agent-fleet/scripts/testing/test-cluster';
import { mastersOf } from '@agent-fleet/shared/testing/redis-nodes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, type StartedService, startService } from './support/start-service.ts';
import { adminOf, createUser, openSession, sessionsOf, signIn } from './support/users.ts';

let cluster: Awaited<ReturnType<typeof startTestCluster>>;
let service: StartedService;
beforeAll(async () => {
  cluster = await startTestCluster({ masters: 3 });
  service = await startService({ REDIS_URL: cluster.url, REDIS_PREFIX: 'on-cluster' });
});
afterAll(async () => {
  await service.close();
  await cluster.close();
});

test('creates, signs in, changes and deletes a user on a Redis Cluster', async () => {
  const { headers } = await adminOf(service);
  const user = await createUser(service);
  await openSession(service, user);
  await service.http.post('/api-keys').set(user.headers).send({ name: 'ci', role: 'viewer' }).expect(201);
  const code = (await service.http.post(`/users/${user.id}/password-resets`).set(headers).expect(201)).body.code;
  const reset = service.http.put(`/password-resets/${code}`).set(headers);
  await reset.send({ new_password: 'another long password' }).expect(204);
  expect(await sessionsOf(service, user.id)).toEqual([]);
  await signIn(service, user.email, 'another long password').expect(204);
  const change = { role: 'viewer', disabled: true };
  await service.http.put(`/users/${user.id}`).set(headers).send(change).expect(200);
  await service.http.delete(`/users/${user.id}`).set(headers).expect(204);
  await signIn(service, ADMIN.email, ADMIN.password).expect(204);
});

test('reads the time where the records are, as the clocks of nodes may differ', async () => {
  const counts = await Promise.all(
    mastersOf(service.redis).map(async (master) => {
      const calls = /cmdstat_time:calls=(\d+)/.exec(await master.info('commandstats'))?.[1];
      return { calls: Number(calls ?? 0), hasRecords: (await master.exists(service.keys.users).catch(() => 0)) === 1 };
    }),
  );
  for (const { calls, hasRecords } of counts) expect(calls > 0).toBe(hasRecords);
});
