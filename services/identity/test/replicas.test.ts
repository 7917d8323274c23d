import { own } from '@agent-fleet/scripts/testing/own';
import { startWithReplica } from '@agent-fleet/scripts/testing/test-replica';
import { expect, test } from '@jest/globals';
import { asNobody, startService } from './support/start-service.ts';
import {
  adminOf,
  claimsOf,
  createUser,
  getTokens,
  inSession,
  refresh,
  requestTokens,
  revoke,
} from './support/users.ts';

const NEW_PASSWORD = 'another long password';
const redis = await startWithReplica();
own(redis.close);
const service = await startService({ REDIS_URL: redis.url, REDIS_MIN_REPLICAS: '1' });
const { http } = service;

/** Each operation that changes something, on data of its own. */
async function prepareChanges() {
  const { headers: admin } = await adminOf(service);
  const newUser = () => createUser(service);
  const [own, disabled, deleted, reset, unchanged] = await Promise.all([1, 2, 3, 4, 5].map(newUser));
  if (!own || !disabled || !deleted || !reset || !unchanged) throw new Error('There is no user');
  const { headers } = own;
  const newKey = async () =>
    (await http.post('/api-keys').set(admin).send({ name: 'key', role: 'worker' }).expect(201)).body.id;
  const newTokens = () => getTokens(service, own);
  const [removedKey, rotatedKey] = [await newKey(), await newKey()];
  const [rotated, revoked, signedOut, ended] = [
    await newTokens(),
    await newTokens(),
    await newTokens(),
    await newTokens(),
  ];
  const { code } = (await http.post(`/users/${reset.id}/password-resets`).set(admin).expect(201)).body;
  const put = (path: string, body: object) => http.put(path).set(admin).send(body);
  return {
    'create a user': () => http.post('/users').set(admin).send({ email: 'new@example.com', role: 'viewer' }),
    'disable a user': () => put(`/users/${disabled.id}`, { role: disabled.role, disabled: true }),
    'keep a user as it is': () => put(`/users/${unchanged.id}`, { role: unchanged.role, disabled: false }),
    'delete a user': () => http.delete(`/users/${deleted.id}`).set(admin),
    'create a reset code': () => http.post(`/users/${unchanged.id}/password-resets`).set(admin),
    'use a reset code': () => http.put(`/password-resets/${code}`).set(asNobody()).send({ new_password: NEW_PASSWORD }),
    'sign in for a token': () => requestTokens(service, own),
    'refuse a sign-in': () => requestTokens(service, { ...own, password: 'wrong' }),
    'sign in for a session': () =>
      http.post('/session').set(asNobody()).send({ username: own.email, password: own.password }),
    'sign out': () => http.delete('/session').set(inSession(own, claimsOf(signedOut).sid)),
    'end a session': () => http.delete(`/sessions/${claimsOf(ended).sid}`).set(headers),
    'refresh a token': () => refresh(service, rotated.refresh_token),
    'revoke a token': () => revoke(service, revoked.refresh_token),
    'create an API key': () => http.post('/api-keys').set(admin).send({ name: 'new', role: 'worker' }),
    'delete an API key': () => http.delete(`/api-keys/${removedKey}`).set(admin),
    'rotate an API key': () => http.post(`/api-keys/${rotatedKey}/rotations`).set(admin).send({ grace_seconds: 0 }),
  };
}

test('nothing is acknowledged while its replica is lost, also not a second time, and reads go on', async () => {
  const changes = Object.entries(await prepareChanges());
  const { headers: admin } = await adminOf(service);
  const statuses = async () =>
    Object.fromEntries(await Promise.all(changes.map(async ([name, send]) => [name, (await send()).status])));
  redis.stopReplica();
  try {
    const all503 = Object.fromEntries(changes.map(([name]) => [name, 503]));
    expect(await statuses()).toEqual(all503);
    expect(await statuses()).toEqual(all503);
    await http.get('/users').set(admin).expect(200);
  } finally {
    await redis.resumeReplica();
  }
  expect(Object.values(await statuses())).not.toContain(503);
});
