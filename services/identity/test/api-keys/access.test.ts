import { ROLES } from '@agent-fleet/shared/identity/scopes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asKey, createKey, expireKey, type Headers, postKey } from '../support/api-keys.ts';
import { asNobody, type StartedService, startService } from '../support/start-service.ts';
import { adminOf, createUser, type TestUser } from '../support/users.ts';

const UNKNOWN = '01997e70-1f3b-7d02-8c11-5b9a0e6f4c21';
const ENVIRONMENT = 'ci:first-key-0123456789,build:worker:second-key-0123456789';

let service: StartedService;
let admin: TestUser;
let ada: TestUser;
let eve: TestUser;
beforeAll(async () => {
  service = await startService({ API_KEYS: ENVIRONMENT });
  admin = await adminOf(service);
  ada = await createUser(service, 'operator');
  eve = await createUser(service, 'operator');
});
afterAll(() => service.close());

const get = (path: string, headers: Headers) => service.http.get(path).set(headers);

interface Listed {
  id: string;
  name: string;
  source: string;
}

async function list(headers: Headers, query = ''): Promise<Listed[]> {
  return (await get(`/api-keys${query}`, headers).expect(200)).body;
}

/** A request for each operation. */
function requests(id: string, headers: Headers) {
  const { http } = service;
  return [
    http.get('/api-keys').set(headers),
    http
      .post('/api-keys')
      .set(headers)
      .send({ name: 'k', scopes: ['tasks:read'] }),
    http.post('/api-keys').set(headers).send({ bad: true }),
    http.get(`/api-keys/${id}`).set(headers),
    http.delete(`/api-keys/${id}`).set(headers),
    http.post(`/api-keys/${id}/rotations`).set(headers),
    http.post(`/api-keys/${id}/rotations`).set(headers).send({ bad: true }),
  ];
}

test('a key without users:admin manages no keys, not even the one that it is', async () => {
  const { id } = await createKey(service, ada.headers);
  const others = [
    asKey(id, ROLES.operator.join(' ')),
    asKey('ci', 'audit:read registry:admin'),
    { ...asKey('x', ROLES.operator.join(' ')), 'x-fleet-principal': 'oidc:corp:subject' },
  ];
  for (const headers of others) {
    for (const request of requests(id, headers)) {
      const { body } = await request.expect(403);
      expect(body).toMatchObject({ error: 'forbidden', details: { required: 'users:admin' } });
    }
  }
  expect(await list(ada.headers)).toMatchObject([{ id }]);
});

test('a request without a principal, or that is not from the gateway, is 403', async () => {
  for (const request of requests(UNKNOWN, asNobody())) await request.expect(403);
  const { 'x-fleet-internal-token': _token, ...direct } = admin.headers;
  for (const request of requests(UNKNOWN, direct)) await request.expect(403);
});

test("somebody else's key is 404, as one that does not exist", async () => {
  const { id } = await createKey(service, ada.headers);
  for (const path of [id, UNKNOWN, 'x', '%00', id.toUpperCase(), '..%2f..', '*']) {
    for (const request of requests(path, eve.headers).slice(3)) {
      expect((await request.expect(404)).body).toEqual({ detail: 'API key not found' });
    }
  }
  expect((await list(eve.headers)).map((key) => key.id)).not.toContain(id);
  await get(`/api-keys/${id}`, ada.headers).expect(200);
});

test('users:admin sees and manages the keys of everybody', async () => {
  const { id } = await createKey(service, ada.headers);
  for (const headers of [admin.headers, asKey('ci', ROLES.admin.join(' '))]) {
    expect((await get(`/api-keys/${id}`, headers).expect(200)).body.owner).toBe(ada.email);
    expect((await list(headers, '?limit=1000')).map((key) => key.id)).toContain(id);
  }
  await service.http.post(`/api-keys/${id}/rotations`).set(admin.headers).expect(201);
  await service.http.delete(`/api-keys/${id}`).set(admin.headers).expect(204);
  await get(`/api-keys/${id}`, ada.headers).expect(404);
});

test('keys of the environment come first, for users:admin only, and nobody changes them', async () => {
  const [ci, build] = await list(admin.headers);
  const fixed = { agent_ids: null, owner: null, source: 'environment', created_at: null, expires_at: null };
  expect(ci).toEqual({
    ...fixed,
    id: expect.any(String),
    name: 'ci',
    scopes: ROLES.admin,
    last_used_at: null,
    rate_limit_per_minute: null,
  });
  expect(build).toMatchObject({ ...fixed, name: 'build', scopes: ROLES.worker });
  const { id } = build as Listed;
  await service.redis.set(service.keys.used(id), Date.parse('2026-11-21T09:30:00.000Z'));
  const read = await get(`/api-keys/${id}`, admin.headers).expect(200);
  expect(read.body).toEqual({ ...build, last_used_at: '2026-11-21T09:30:00.000Z' });
  await get(`/api-keys/${id}`, { ...admin.headers, 'if-none-match': read.headers.etag as string }).expect(304);
  for (const request of requests(id, admin.headers).slice(4)) {
    expect((await request.expect(409)).body).toMatchObject({ error: 'managed_by_environment' });
  }
  for (const request of requests(id, ada.headers).slice(3)) await request.expect(404);
  expect((await list(ada.headers, '?limit=1000')).every(({ source }) => source === 'api')).toBe(true);
  expect(JSON.stringify(await list(admin.headers))).not.toContain('key-0123456789');
});

test('pages lists, oldest first, with totals that count the keys of the environment', async () => {
  const owner = await createUser(service, 'viewer');
  const made = [];
  for (let number = 0; number < 5; number++) made.push((await createKey(service, owner.headers)).id);
  const page = await get('/api-keys?skip=1&limit=2', owner.headers).expect(200);
  expect(page.body.map(({ id }: Listed) => id)).toEqual(made.slice(1, 3));
  expect(page.headers).toMatchObject({
    'x-total-count': '5',
    link: '</api-keys?skip=3&limit=2>; rel="next", </api-keys?skip=0&limit=2>; rel="prev"',
  });
  const all = await list(admin.headers, '?limit=1000');
  const walked: Listed[] = [];
  for (let skip = 0; skip < all.length; skip += 3) {
    const part = await get(`/api-keys?skip=${skip}&limit=3`, admin.headers).expect(200);
    expect(part.headers['x-total-count']).toBe(String(all.length));
    walked.push(...part.body);
  }
  expect(walked).toEqual(all);
  expect(all.slice(2).map(({ id }) => id)).toEqual(
    all
      .slice(2)
      .map(({ id }) => id)
      .sort(),
  );
  const beyond = await get(`/api-keys?skip=${all.length + 5}`, admin.headers).expect(200);
  expect([beyond.body, beyond.headers['x-total-count']]).toEqual([[], String(all.length)]);
  for (const query of ['?limit=0', '?limit=1001', '?skip=-1', '?skip=1&skip=2', '?limit=x']) {
    await get(`/api-keys${query}`, owner.headers).expect(400);
  }
  await service.http.head('/api-keys').set(owner.headers).expect(200);
});

test('a role that shrinks shrinks the keys of the user, and comes back to them', async () => {
  const user = await createUser(service, 'operator');
  const { id } = await createKey(service, user.headers, { scopes: ['agents:write', 'tasks:read'] });
  const change = (role: string, disabled: boolean) =>
    service.http.put(`/users/${user.id}`).set(admin.headers).send({ role, disabled }).expect(200);
  const scopes = async () => (await get(`/api-keys/${id}`, admin.headers).expect(200)).body.scopes;
  await change('worker', false);
  expect(await scopes()).toEqual(['tasks:read']);
  await change('admin', false);
  expect(await scopes()).toEqual(['agents:write', 'tasks:read']);
  await change('admin', true);
  expect(await scopes()).toEqual([]);
});

test('a deleted user leaves no keys', async () => {
  const user = await createUser(service, 'operator');
  const { id } = await createKey(service, user.headers);
  await service.http.delete(`/users/${user.id}`).set(admin.headers).expect(204);
  await get(`/api-keys/${id}`, admin.headers).expect(404);
  expect((await list(admin.headers, '?limit=1000')).map((key) => key.id)).not.toContain(id);
});

test('serves when a key was last used', async () => {
  const { id } = await createKey(service, ada.headers);
  await service.redis.set(service.keys.used(id), 1_764_064_262_116);
  expect((await get(`/api-keys/${id}`, ada.headers).expect(200)).body.last_used_at).toBe('2025-11-25T09:51:02.116Z');
  expect(await list(ada.headers, '?limit=1000')).toContainEqual(
    expect.objectContaining({ id, last_used_at: '2025-11-25T09:51:02.116Z' }),
  );
});

test('lists a key for 30 days after it has expired, and forgets it then', async () => {
  const user = await createUser(service, 'viewer');
  const { id } = await createKey(service, user.headers);
  const { redis, keys } = service;
  const { body } = await get(`/api-keys/${id}`, user.headers).expect(200);
  expect(await redis.pexpiretime(keys.apiKey(id))).toBe(Date.parse(body.expires_at) + 30 * 86_400_000);
  await expireKey(service, id);
  expect((await list(user.headers)).map((key) => key.id)).toEqual([id]);
  const before = (await list(admin.headers, '?limit=1000')).length;
  // As Redis does at the end of the 30 days.
  await redis.del(keys.apiKey(id));
  await redis.zadd(keys.userApiKeys(user.id), Date.now() - 31 * 86_400_000, id);
  expect(await list(user.headers)).toEqual([]);
  const page = await get('/api-keys?limit=1000', admin.headers).expect(200);
  expect([page.body.length, page.headers['x-total-count']]).toEqual([before - 1, String(before - 1)]);
  await createKey(service, user.headers);
  expect(await redis.zrange(keys.userApiKeys(user.id), 0, '-1')).not.toContain(id);
});

test('without an internal token, the service trusts everybody (development)', async () => {
  await using open = await startService({ INTERNAL_TOKEN: '' });
  const { body } = await postKey(open, {}, { name: 'k', role: 'admin' }).expect(201);
  expect(body).toMatchObject({ owner: 'anonymous', scopes: ROLES.admin });
  await open.http.delete(`/api-keys/${body.id}`).expect(204);
});
