import { digestOfSecret, isApiKeyText } from '@agent-fleet/shared/identity/api-key-text';
import { ROLES } from '@agent-fleet/shared/identity/scopes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dumpRedis } from '../support/accounts.ts';
import { asKey, createKey, expireKey, postKey, readKeyRecord } from '../support/api-keys.ts';
import { asUser, type StartedService, startService } from '../support/start-service.ts';
import { adminOf, auditOf, changesOf, createUser, lastChange, type TestUser } from '../support/users.ts';

const DAY_MS = 86_400_000;

let service: StartedService;
let admin: TestUser;
let operator: TestUser;
beforeAll(async () => {
  service = await startService();
  admin = await adminOf(service);
  operator = await createUser(service, 'operator');
});
afterAll(() => service.close());

const post = (body: unknown, headers = operator.headers) => postKey(service, headers, body);
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

test('creates a key, shows it once, and stores only its SHA-256', async () => {
  const changes = await lastChange(service);
  const { body, headers } = await post({ name: 'Build workers', scopes: ['tasks:read', 'agents:read'] }).expect(201);
  const { key, ...served } = body;
  expect(isApiKeyText(key)).toBe(true);
  expect(served).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Build workers',
    scopes: ['agents:read', 'tasks:read'],
    agent_ids: null,
    owner: operator.email,
    source: 'api',
    created_at: expect.any(String),
    expires_at: expect.any(String),
    last_used_at: null,
    rate_limit_per_minute: null,
  });
  expect(Date.parse(served.expires_at) - Date.parse(served.created_at)).toBeGreaterThan(90 * DAY_MS - 5_000);
  expect(headers).toMatchObject({ location: `/api-keys/${served.id}`, 'cache-control': 'no-store' });
  const read = await service.http.get(`/api-keys/${served.id}`).set(operator.headers).expect(200);
  expect([read.body, read.headers.etag]).toEqual([served, headers.etag]);
  const { redis, keys } = service;
  expect(await redis.get(keys.apiKeyHash(digestOfSecret(key)))).toBe(served.id);
  const keptUntil = Date.parse(served.expires_at) + 30 * DAY_MS;
  expect(await redis.pexpiretime(keys.apiKeyHash(digestOfSecret(key)))).toBe(keptUntil);
  expect(await redis.pexpiretime(keys.apiKey(served.id))).toBe(keptUntil);
  expect(await readKeyRecord(service, served.id)).toMatchObject({ owner_id: operator.id, owner: operator.email });
  expect(await changesOf(service, changes)).toEqual([`key:${served.id}`]);
  expect(await auditOf(service, served.id)).toMatchObject([
    { action: 'key.created', actor: { type: 'user', name: operator.email }, outcome: 'success' },
  ]);
});

test('the text of a key is neither in Redis nor in the log', async () => {
  const { id, key } = await createKey(service, operator.headers);
  const rotated = await service.http.post(`/api-keys/${id}/rotations`).set(operator.headers).expect(201);
  const everywhere = (await dumpRedis(service)) + JSON.stringify(service.logs);
  expect(everywhere).toContain(id);
  for (const text of [key, rotated.body.key]) {
    expect(everywhere).not.toContain(text);
    expect(everywhere).not.toContain(text.slice(17, -6));
  }
});

test('takes a role for its scopes', async () => {
  expect(await createKey(service, operator.headers, { scopes: undefined, role: 'viewer' })).toMatchObject({
    scopes: ROLES.viewer,
  });
  expect(await createKey(service, admin.headers, { scopes: null, role: 'admin' })).toMatchObject({
    scopes: ROLES.admin,
  });
});

test('names each scope and each agent once', async () => {
  const fields = { scopes: ['tasks:read', 'tasks:read'], agent_ids: ['b', 'a', 'b'] };
  expect(await createKey(service, operator.headers, fields)).toMatchObject({
    scopes: ['tasks:read'],
    agent_ids: ['b', 'a'],
  });
});

test('serves the expiry in UTC, whatever offset it has', async () => {
  const time = new Date(Date.now() + DAY_MS).toISOString().slice(0, 19);
  const { body } = await post({ name: 'k', role: 'viewer', expires_at: `${time}.5+05:30` }).expect(201);
  expect(body.expires_at).toBe(new Date(`${time}.500+05:30`).toISOString());
  await post({ name: 'k', role: 'viewer', expires_at: `${time.toLowerCase()}z` }).expect(201);
});

test.each([
  ['in_the_past', -1_000],
  ['too_far_ahead', 366 * DAY_MS + 60_000],
  ['too_far_ahead', 366_000 * DAY_MS],
])('an expiry that is %s is 422', async (code, ms) => {
  const { body } = await post({ name: 'k', role: 'viewer', expires_at: inMs(ms) }).expect(422);
  expect(body).toMatchObject({ error: 'semantic_error', details: { fields: [{ path: 'expires_at', code }] } });
});

test('accepts the longest life, and the limits of all fields', async () => {
  const agent_ids = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(64, '~'));
  const longest = { name: '🧪'.repeat(100), expires_at: inMs(366 * DAY_MS - 5_000), agent_ids };
  const created = await createKey(service, operator.headers, { ...longest, rate_limit_per_minute: 1_000_000_000 });
  expect(created).toMatchObject({ ...longest, rate_limit_per_minute: 1_000_000_000 });
});

const GOOD = { name: 'k', scopes: ['tasks:read'] };

test.each<[unknown, string]>([
  [{ scopes: ['tasks:read'] }, 'name'],
  [{ ...GOOD, name: '' }, 'name'],
  [{ ...GOOD, name: ' \t ' }, 'name'],
  [{ ...GOOD, name: 'x'.repeat(101) }, 'name'],
  [{ ...GOOD, name: 7 }, 'name'],
  [{ name: 'k' }, 'scopes'],
  [{ name: 'k', role: null, scopes: null }, 'scopes'],
  [{ ...GOOD, role: 'viewer' }, 'scopes'],
  [{ ...GOOD, scopes: [] }, 'scopes'],
  [{ ...GOOD, scopes: 'tasks:read' }, 'scopes'],
  [{ ...GOOD, scopes: ['tasks:read', 'tasks:all'] }, 'scopes.1'],
  [{ ...GOOD, scopes: ['__proto__'] }, 'scopes.0'],
  [{ name: 'k', role: 'root' }, 'role'],
  [{ name: 'k', role: 'constructor' }, 'role'],
  [{ ...GOOD, agent_ids: [] }, 'agent_ids'],
  [{ ...GOOD, agent_ids: Array.from({ length: 101 }, (_, at) => `a${at}`) }, 'agent_ids'],
  [{ ...GOOD, agent_ids: ['a,b'] }, 'agent_ids.0'],
  [{ ...GOOD, agent_ids: ['a b'] }, 'agent_ids.0'],
  [{ ...GOOD, agent_ids: ['a\r\nx: y'] }, 'agent_ids.0'],
  [{ ...GOOD, agent_ids: ['x'.repeat(65)] }, 'agent_ids.0'],
  [{ ...GOOD, agent_ids: [''] }, 'agent_ids.0'],
  [{ ...GOOD, agent_ids: [null] }, 'agent_ids.0'],
  [{ ...GOOD, expires_at: '2030-01-01' }, 'expires_at'],
  [{ ...GOOD, expires_at: 1_900_000_000 }, 'expires_at'],
  [{ ...GOOD, rate_limit_per_minute: 0 }, 'rate_limit_per_minute'],
  [{ ...GOOD, rate_limit_per_minute: 1.5 }, 'rate_limit_per_minute'],
  [{ ...GOOD, rate_limit_per_minute: 1_000_000_001 }, 'rate_limit_per_minute'],
  [{ ...GOOD, id: 'mine' }, 'id'],
  [{ ...GOOD, owner: 'admin@example.com' }, 'owner'],
  [{ ...GOOD, owner_id: 'x' }, 'owner_id'],
  [{ ...GOOD, hash: 'x' }, 'hash'],
  [{ ...GOOD, source: 'environment' }, 'source'],
  [[], ''],
  [[GOOD], ''],
])('refuses %j and names the field', async (body, path) => {
  const refused = await post(body).expect(400);
  expect(refused.body).toMatchObject({ error: 'validation_error', details: { fields: [{ path }] } });
});

test.each(['users:admin', 'audit:read', 'registry:admin'])('a key limited to agents cannot have %s', async (scope) => {
  const { body } = await post({ ...GOOD, scopes: [scope], agent_ids: ['a'] }, admin.headers).expect(400);
  expect(body.details.fields).toMatchObject([{ path: 'agent_ids' }]);
  await post({ name: 'k', role: 'admin', agent_ids: ['a'] }, admin.headers).expect(400);
});

test('refuses bodies that are no JSON, too large or of another type', async () => {
  const send = (type: string, body: string) =>
    service.http.post('/api-keys').set(operator.headers).set('content-type', type).send(body);
  await send('application/json', '{').expect(400);
  await send('application/json', 'null').expect(400);
  await send('application/json', '{"name":"k","name":{"a":1},"scopes":["tasks:read"]}').expect(400);
  await send('application/json', JSON.stringify({ ...GOOD, name: 'x'.repeat(17_000) })).expect(413);
  await send('text/plain', '{}').expect(415);
  await service.http.post('/api-keys').set(operator.headers).expect(400);
});

test('a key has at most the scopes of the caller', async () => {
  const { body } = await post({ ...GOOD, scopes: ['users:admin', 'tasks:write', 'audit:read'] }).expect(403);
  expect(body).toEqual({
    error: 'forbidden',
    message: 'This needs the scope audit:read',
    details: { required: 'audit:read' },
  });
  const narrowed = { ...operator.headers, 'x-fleet-scopes': 'tasks:read' };
  const refused = await post({ name: 'k', role: 'operator' }, narrowed).expect(403);
  expect(refused.body.details).toEqual({ required: 'agents:read' });
  await post(GOOD, narrowed).expect(201);
  const none = await post(GOOD, { ...operator.headers, 'x-fleet-scopes': '' }).expect(403);
  expect(none.body.details).toEqual({ required: 'tasks:read' });
});

test('a caller that is limited to agents makes keys for some of these only', async () => {
  const limited = { ...admin.headers, 'x-fleet-agents': 'a,b' };
  for (const agent_ids of [undefined, ['c'], ['a', 'c']]) {
    expect((await post({ ...GOOD, agent_ids }, limited).expect(403)).body.error).toBe('forbidden');
  }
  await post({ ...GOOD, agent_ids: ['b'] }, limited).expect(201);
});

test('the principal of an external issuer owns the keys that it makes', async () => {
  const external = { ...asKey('corp:7', 'users:admin tasks:read'), 'x-fleet-principal': 'oidc:corp:7' };
  const { body } = await post(GOOD, external).expect(201);
  expect(body.owner).toBe('oidc:corp:7');
  expect(await readKeyRecord(service, body.id)).toMatchObject({ owner_id: null, parents: [] });
});

test('a key that another key makes has its owner, and no wider limits', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const fields = { scopes: ['users:admin', 'tasks:read'], expires_at, rate_limit_per_minute: 50 };
  const parent = await createKey(service, admin.headers, fields);
  const asParent = asKey(parent.id, 'users:admin tasks:read');
  const child = await createKey(service, asParent, { rate_limit_per_minute: 500 });
  expect(child).toMatchObject({ owner: admin.email, expires_at, rate_limit_per_minute: 50 });
  expect(await readKeyRecord(service, child.id)).toMatchObject({ owner_id: admin.id, parents: [parent.id] });
  const later = new Date(Date.now() + 7_200_000).toISOString();
  expect((await post({ ...GOOD, expires_at: later }, asParent).expect(422)).body.error).toBe('semantic_error');
});

test('keys make each other five times at most, and a key that was deleted makes none', async () => {
  let maker = admin.headers;
  for (let number = 0; number <= 5; number++) {
    const made = await createKey(service, maker, { scopes: ['users:admin', 'tasks:read'] });
    maker = asKey(made.id, 'users:admin tasks:read');
  }
  expect((await post(GOOD, maker).expect(403)).body.error).toBe('quota_exceeded');
  const deleted = asKey('01997e70-1f3b-7d02-8c11-5b9a0e6f4c21', 'users:admin tasks:read');
  expect((await post(GOOD, deleted).expect(403)).body.error).toBe('forbidden');
});

test('a user who was deleted or disabled a moment ago makes no key', async () => {
  const gone = asUser('01997e70-1f3b-7d02-8c11-5b9a0e6f4c21', 'gone@example.com', 'operator');
  expect((await post(GOOD, gone).expect(403)).body.error).toBe('forbidden');
  const disabled = await createUser(service, 'operator');
  const body = { role: 'operator', disabled: true };
  await service.http.put(`/users/${disabled.id}`).set(admin.headers).send(body).expect(200);
  await post(GOOD, disabled.headers).expect(403);
});

test('an owner has at most 100 keys that have not expired, also when requests race', async () => {
  const owner = await createUser(service, 'viewer');
  const statuses = async (count: number) => {
    const sent = Array.from({ length: count }, () => post(GOOD, owner.headers));
    return (await Promise.all(sent)).map(({ status, body }) => body.error ?? status).sort();
  };
  expect(new Set(await statuses(95))).toEqual(new Set([201]));
  expect(await statuses(10)).toEqual([...Array(5).fill(201), ...Array(5).fill('quota_exceeded')]);
  const { body } = await service.http.get('/api-keys?limit=1000').set(owner.headers).expect(200);
  expect(body).toHaveLength(100);
  for (const { id } of body.slice(0, 3)) await expireKey(service, id);
  expect(await statuses(4)).toEqual([201, 201, 201, 'quota_exceeded']);
  const after = await service.http.get('/api-keys?limit=1000').set(owner.headers).expect(200);
  expect(after.body).toHaveLength(100);
  expect(after.body.map(({ id }: { id: string }) => id)).not.toContain(body[0].id);
  await service.http.delete(`/api-keys/${body[50].id}`).set(owner.headers).expect(204);
  await post(GOOD, owner.headers).expect(201);
});
