import { digestOfSecret } from '@agent-fleet/access/api-key-text';
import { ROLES } from '@agent-fleet/shared/contract/scopes';
import { expect, test } from '@jest/globals';
import { asKey, createKey, endOf, expireKey, findKey, postKey, readKeyRecord, rotateKey } from './support/api-keys.ts';
import { asUser, startService } from './support/start-service.ts';
import { adminOf, changesOf, createUser, lastChange, readAudit } from './support/users.ts';

const DAY_MS = 86_400_000;
const UNKNOWN = '01997e70-1f3b-7d02-8c11-5b9a0e6f4c21';
const ENVIRONMENT = 'ci:first-key-0123456789,build:worker:second-key-0123456789';
const GOOD = { name: 'k', scopes: ['tasks:read'] };

const service = await startService({ API_KEYS: ENVIRONMENT });
const other = await startService({ API_KEYS: ENVIRONMENT, REDIS_PREFIX: service.prefix });
const admin = await adminOf(service);
const ada = await createUser(service, 'operator');

const find = (text: string) => findKey(service, text);
const post = (body: unknown, headers = ada.headers) => postKey(service, headers, body);
const listPage = (query: string, { headers } = admin) => service.http.get(`/api-keys${query}`).set(headers).expect(200);

test('pages of all keys begin with those of the environment, and totals count these', async () => {
  for (let number = 0; number < 5; number++) await createKey(service, ada.headers);
  const all: { id: string; name: string; scopes: string[] }[] = (await listPage('?limit=1000')).body;
  expect(all.slice(0, 2)).toMatchObject([
    { name: 'ci', scopes: ROLES.admin },
    { name: 'build', scopes: ROLES.worker },
  ]);
  const walked: unknown[] = [];
  for (let skip = 0; skip < all.length; skip += 3) {
    const page = await listPage(`?skip=${skip}&limit=3`);
    expect(page.headers['x-total-count']).toBe(String(all.length));
    walked.push(...page.body);
  }
  expect(walked).toEqual(all);
  const ids = all.slice(2).map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  const beyond = await listPage(`?skip=${all.length + 5}`);
  expect([beyond.body, beyond.headers['x-total-count']]).toEqual([[], String(all.length)]);
});

test('a key and its digest are kept for 30 days after it has expired, and listed until then', async () => {
  const user = await createUser(service, 'viewer');
  const { id, key } = await createKey(service, user.headers);
  const { redis, keys } = service;
  const { body } = await service.http.get(`/api-keys/${id}`).set(user.headers).expect(200);
  const keptUntil = Date.parse(body.expires_at) + 30 * DAY_MS;
  expect(await redis.pexpiretime(keys.apiKey(id))).toBe(keptUntil);
  expect(await redis.get(keys.apiKeyHash(digestOfSecret(key)))).toBe(id);
  expect(await redis.pexpiretime(keys.apiKeyHash(digestOfSecret(key)))).toBe(keptUntil);
  await expireKey(service, id);
  expect((await listPage('', user)).body).toMatchObject([{ id }]);
  const before = (await listPage('?limit=1000')).body.length;
  // As Redis does at the end of the 30 days.
  await redis.del(keys.apiKey(id));
  await redis.zadd(keys.userApiKeys(user.id), Date.now() - 31 * DAY_MS, id);
  expect((await listPage('', user)).body).toEqual([]);
  const page = await listPage('?limit=1000');
  expect([page.body.length, page.headers['x-total-count']]).toEqual([before - 1, String(before - 1)]);
  await createKey(service, user.headers);
  expect(await redis.zrange(keys.userApiKeys(user.id), 0, '-1')).not.toContain(id);
});

test('without an internal token, the service trusts everybody (development)', async () => {
  const open = await startService({ INTERNAL_TOKEN: '' });
  const { body } = await postKey(open, {}, { name: 'k', role: 'admin' }).expect(201);
  expect(body).toMatchObject({ owner: 'anonymous', scopes: ROLES.admin });
  await open.http.delete(`/api-keys/${body.id}`).expect(204);
});

test('a caller that is limited to agents makes keys for some of these only', async () => {
  const limited = { ...admin.headers, 'x-fleet-agents': 'a,b' };
  for (const agent_ids of [undefined, ['c'], ['a', 'c']]) {
    expect((await post({ ...GOOD, agent_ids }, limited).expect(403)).body.error).toBe('forbidden');
  }
  await post({ ...GOOD, agent_ids: ['b'] }, limited).expect(201);
});

test('the principal of an external issuer owns the keys that it makes, for which it needs users:admin', async () => {
  const external = (scopes: string) => ({ ...asKey('corp:7', scopes), 'x-fleet-principal': 'oidc:corp:7' });
  const { body } = await post(GOOD, external('users:admin tasks:read')).expect(201);
  expect(body.owner).toBe('oidc:corp:7');
  expect(await readKeyRecord(service, body.id)).toMatchObject({ owner_id: null, parents: [] });
  const refused = await post(GOOD, external(ROLES.operator.join(' '))).expect(403);
  expect(refused.body.details).toEqual({ required: 'users:admin' });
});

test('a user or key that was deleted or disabled a moment ago makes no key', async () => {
  const disabled = await createUser(service, 'operator');
  const body = { role: 'operator', disabled: true };
  await service.http.put(`/users/${disabled.id}`).set(admin.headers).send(body).expect(200);
  const gone = asUser(UNKNOWN, 'gone@example.com', 'operator');
  for (const headers of [gone, disabled.headers, asKey(UNKNOWN, 'users:admin tasks:read')]) {
    expect((await post(GOOD, headers).expect(403)).body.error).toBe('forbidden');
  }
});

test('an owner has at most 100 keys that have not expired, also when requests race', async () => {
  const owner = await createUser(service, 'viewer');
  const statuses = async (count: number) => {
    const sent = Array.from({ length: count }, () => post(GOOD, owner.headers));
    return (await Promise.all(sent)).map(({ status, body }) => body.error ?? status).sort();
  };
  expect(new Set(await statuses(95))).toEqual(new Set([201]));
  expect(await statuses(10)).toEqual([...Array(5).fill(201), ...Array(5).fill('quota_exceeded')]);
  const { body } = await listPage('?limit=1000', owner);
  expect(body).toHaveLength(100);
  for (const { id } of body.slice(0, 3)) await expireKey(service, id);
  expect(await statuses(4)).toEqual([201, 201, 201, 'quota_exceeded']);
  const after = await listPage('?limit=1000', owner);
  expect(after.body).toHaveLength(100);
  expect(after.body.map(({ id }: { id: string }) => id)).not.toContain(body[0].id);
  await service.http.delete(`/api-keys/${body[50].id}`).set(owner.headers).expect(204);
  await post(GOOD, owner.headers).expect(201);
});

test('without a body, the grace of a rotation is a day', async () => {
  const { id, key } = await createKey(service, ada.headers);
  await service.http.post(`/api-keys/${id}/rotations`).set(ada.headers).expect(201);
  const leftMs = endOf(await readKeyRecord(service, id), digestOfSecret(key)) - Date.now();
  expect(Math.round(leftMs / 60_000)).toBe(1_440);
});

test('rotations that race all succeed, one after the other', async () => {
  const { id } = await createKey(service, ada.headers);
  const sent = [service, other, service].map((instance) => rotateKey(instance, ada.headers, id, 600).expect(201));
  const texts = (await Promise.all(sent)).map(({ body }) => body.key);
  expect(new Set(texts).size).toBe(3);
  expect(await Promise.all(texts.map(find))).toEqual([id, id, id]);
  expect((await readKeyRecord(service, id)).previous).toHaveLength(3);
});

test('deletes a key with all its texts and traces', async () => {
  const { id, key } = await createKey(service, ada.headers);
  const second = (await rotateKey(service, ada.headers, id, 600).expect(201)).body.key;
  await service.redis.set(service.keys.used(id), Date.now());
  const changes = await lastChange(service);
  await service.http.delete(`/api-keys/${id}`).set(ada.headers).expect(204);
  expect(await Promise.all([key, second].map(find))).toEqual([null, null]);
  expect(await changesOf(service, changes)).toEqual([`key:${id}`]);
  const { redis, keys } = service;
  expect(await redis.exists(keys.apiKey(id), keys.used(id))).toBe(0);
  expect(await redis.zscore(keys.apiKeys, id)).toBeNull();
  expect(await redis.zscore(keys.userApiKeys(ada.id), id)).toBeNull();
  // The gateway can tell for a while whose key it refuses.
  const keptMs = await redis.pttl(keys.apiKeyHash(digestOfSecret(key)));
  expect(Math.round(keptMs / DAY_MS)).toBe(30);
});

test('of deletions that race, one succeeds', async () => {
  const { id } = await createKey(service, ada.headers);
  const sent = [service, other, service, other].map(({ http }) => http.delete(`/api-keys/${id}`).set(ada.headers));
  expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
  expect((await readAudit(service)).flatMap(({ action, target }) => (target?.id === id ? action : []))).toEqual([
    'key.created',
    'key.deleted',
  ]);
});

test('a rotation that races a deletion leaves nothing behind', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await createKey(service, ada.headers);
    const [rotated] = await Promise.all([
      rotateKey(other, ada.headers, id, 600),
      service.http.delete(`/api-keys/${id}`).set(ada.headers).expect(204),
    ]);
    expect([201, 404]).toContain(rotated.status);
    if (rotated.status === 201) expect(await find(rotated.body.key)).toBeNull();
  }
});
