import { digestOfSecret, isApiKeyText } from '@agent-fleet/shared/identity/api-key-text';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asKey, createKey, endOf, expireKey, findKey, readKeyRecord, rotateKey } from '../support/api-keys.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { adminOf, auditOf, changesOf, createUser, lastChange, type TestUser } from '../support/users.ts';

let service: StartedService;
let other: StartedService;
let admin: TestUser;
let ada: TestUser;
beforeAll(async () => {
  service = await startService();
  other = await startService({ REDIS_PREFIX: service.prefix });
  admin = await adminOf(service);
  ada = await createUser(service, 'operator');
});
afterAll(async () => {
  await other.close();
  await service.close();
});

const find = (text: string) => findKey(service, text);
/** How long a text of a key is good, in ms. */
const timeLeft = async (id: string, text: string) =>
  endOf(await readKeyRecord(service, id), digestOfSecret(text)) - Date.now();
const remove = (id: string, headers: Record<string, string> = {}) =>
  service.http.delete(`/api-keys/${id}`).set({ ...ada.headers, ...headers });

test('a rotation keeps everything but the text, and both texts work through the grace', async () => {
  const fields = { scopes: ['tasks:read', 'tasks:write'], agent_ids: ['a'], rate_limit_per_minute: 5 };
  const { key: first, ...before } = await createKey(service, ada.headers, fields);
  const changes = await lastChange(service);
  const { body, headers } = await rotateKey(service, ada.headers, before.id, 600).expect(201);
  const { key: second, ...after } = body;
  expect(after).toEqual(before);
  expect(isApiKeyText(second)).toBe(true);
  expect(headers).toMatchObject({ location: `/api-keys/${before.id}`, 'cache-control': 'no-store' });
  expect([await find(first), await find(second)]).toEqual([before.id, before.id]);
  const leftMs = await timeLeft(before.id, first);
  expect(leftMs).toBeGreaterThan(590_000);
  expect(leftMs).toBeLessThanOrEqual(600_000);
  const { hash, previous } = await readKeyRecord(service, before.id);
  expect(hash).toBe(digestOfSecret(second));
  expect(previous).toEqual([{ hash: digestOfSecret(first), until: expect.any(String) }]);
  expect(await changesOf(service, changes)).toEqual([`key:${before.id}`]);
  expect((await auditOf(service, before.id)).map(({ action }) => action)).toEqual(['key.created', 'key.rotated']);
});

test('without a body, the grace is a day', async () => {
  const { id, key } = await createKey(service, ada.headers);
  await service.http.post(`/api-keys/${id}/rotations`).set(ada.headers).expect(201);
  const leftMs = await timeLeft(id, key);
  expect(Math.round(leftMs / 60_000)).toBe(1_440);
});

test('without a grace, only the new text works', async () => {
  const { id, key } = await createKey(service, ada.headers);
  const second = (await rotateKey(service, ada.headers, id, 600).expect(201)).body.key;
  const third = (await rotateKey(service, ada.headers, id, 0).expect(201)).body.key;
  expect(await Promise.all([key, second, third].map(find))).toEqual([null, null, id]);
  expect((await readKeyRecord(service, id)).previous).toEqual([]);
});

test('no text outlives its key', async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const { id, key } = await createKey(service, ada.headers, { expires_at });
  const { body } = await rotateKey(service, ada.headers, id, 604_800).expect(201);
  const record = await readKeyRecord(service, id);
  const ends = [key, body.key].map((text) => endOf(record, digestOfSecret(text)));
  expect(ends).toEqual([Date.parse(expires_at), Date.parse(expires_at)]);
});

test.each([[-1], [604_801], [1.5], ['60'], [null]])('a grace of %j is 400', async (grace_seconds) => {
  const { id } = await createKey(service, ada.headers);
  const { body } = await service.http
    .post(`/api-keys/${id}/rotations`)
    .set(ada.headers)
    .send({ grace_seconds })
    .expect(400);
  expect(body.details.fields).toMatchObject([{ path: 'grace_seconds' }]);
});

test('at most ten replaced texts are valid at once', async () => {
  const { id } = await createKey(service, ada.headers);
  for (let number = 0; number < 10; number++) await rotateKey(service, ada.headers, id, 600).expect(201);
  expect((await rotateKey(service, ada.headers, id, 600).expect(403)).body.error).toBe('quota_exceeded');
  const record = await readKeyRecord(service, id);
  const ended = record.previous.map((replaced, at) => ({ ...replaced, ...(at < 4 && { until: record.created_at }) }));
  await service.redis.set(service.keys.apiKey(id), JSON.stringify({ ...record, previous: ended }));
  await rotateKey(service, ada.headers, id, 600).expect(201);
  expect((await readKeyRecord(service, id)).previous).toHaveLength(7);
  await rotateKey(service, ada.headers, id, 0).expect(201);
});

test('an expired key is not rotated', async () => {
  const { id } = await createKey(service, ada.headers);
  await expireKey(service, id);
  expect((await rotateKey(service, ada.headers, id).expect(422)).body).toEqual({
    error: 'semantic_error',
    message: 'The key has expired; create another one',
  });
  await remove(id).expect(204);
});

test('a token for few scopes does not get the text of a key for more', async () => {
  const { id, key } = await createKey(service, ada.headers, { scopes: ['tasks:read', 'tasks:write'] });
  const narrowed = { ...ada.headers, 'x-fleet-scopes': 'tasks:read' };
  const { body } = await rotateKey(service, narrowed, id, 0).expect(403);
  expect(body.details).toEqual({ required: 'tasks:write' });
  await rotateKey(service, asKey('ci', 'users:admin'), id, 0).expect(403);
  expect(await find(key)).toBe(id);
  await service.http.delete(`/api-keys/${id}`).set(narrowed).expect(204);
});

test('a user whose role shrank does not get the text of a key that may do more again later', async () => {
  const user = await createUser(service, 'operator');
  const { id } = await createKey(service, user.headers, { scopes: ['agents:write'] });
  const change = (role: string) =>
    service.http.put(`/users/${user.id}`).set(admin.headers).send({ role, disabled: false }).expect(200);
  await change('viewer');
  const narrowed = { ...user.headers, 'x-fleet-scopes': 'agents:read tasks:read events:read' };
  expect((await rotateKey(service, narrowed, id, 0).expect(403)).body.details.required).toBe('agents:write');
  await change('operator');
  await rotateKey(service, user.headers, id, 0).expect(201);
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
  await remove(id).expect(204);
  expect(await Promise.all([key, second].map(find))).toEqual([null, null]);
  expect(await changesOf(service, changes)).toEqual([`key:${id}`]);
  expect((await auditOf(service, id)).at(-1)).toMatchObject({ action: 'key.deleted', target: { type: 'key', id } });
  const { redis, keys } = service;
  expect(await redis.exists(keys.apiKey(id), keys.used(id))).toBe(0);
  expect(await redis.zscore(keys.apiKeys, id)).toBeNull();
  expect(await redis.zscore(keys.userApiKeys(ada.id), id)).toBeNull();
  // The gateway can tell for a while whose key it refuses.
  const keptMs = await redis.pttl(keys.apiKeyHash(digestOfSecret(key)));
  expect(Math.round(keptMs / 86_400_000)).toBe(30);
  expect((await remove(id).expect(404)).body).toEqual({ detail: 'API key not found' });
});

test('of deletions that race, one succeeds', async () => {
  const { id } = await createKey(service, ada.headers);
  const sent = [service, other, service, other].map(({ http }) => http.delete(`/api-keys/${id}`).set(ada.headers));
  expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
  expect((await auditOf(service, id)).map(({ action }) => action)).toEqual(['key.created', 'key.deleted']);
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

test('deletes by If-Match only what the client has seen', async () => {
  const { id } = await createKey(service, ada.headers);
  const read = () => service.http.get(`/api-keys/${id}`).set(ada.headers).expect(200);
  const { etag } = (await read()).headers;
  await remove(id, { 'if-match': '"other"' }).expect(412);
  await service.redis.set(service.keys.used(id), Date.now());
  expect((await remove(id, { 'if-match': etag as string }).expect(412)).body.error).toBe('precondition_failed');
  const current = (await read()).headers.etag as string;
  await remove(id, { 'if-match': `"x", ${current}` }).expect(204);
  const second = await createKey(service, ada.headers);
  await remove(second.id, { 'if-match': '*' }).expect(204);
});

test('other methods are 405 with those that are allowed', async () => {
  const { headers } = await service.http.put('/api-keys').set(admin.headers).send({}).expect(405);
  expect(headers.allow).toBe('GET, POST, HEAD, OPTIONS');
  await service.http.patch('/api-keys/x').set(admin.headers).expect(405);
  await service.http.get('/api-keys/x/rotations').set(admin.headers).expect(405);
});
