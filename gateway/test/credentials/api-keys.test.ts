import { createApiKeyText } from '@agent-fleet/shared/identity/api-key-text';
import { parseApiKeys } from '@agent-fleet/shared/identity/environment-keys';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { send, statusOf, withApiKey } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;

beforeAll(async () => {
  gateway = await startWithServices({ RATE_LIMIT_PER_MINUTE: '1000', AUTH_LIMIT_PER_MINUTE: '1000' });
  ({ identity } = gateway);
});

const REFUSED = { status: 403, body: { detail: 'Invalid API key' } };
const check = (key: string) => send(gateway, '/agents', { headers: withApiKey(key) });
const untilRefused = async (key: string) =>
  expect(await until(() => check(key), { holds: ({ status }) => status !== 200 })).toMatchObject(REFUSED);
const misses = async () => /gateway_credential_cache_total\{result="miss"\} (\d+)/.exec(await gateway.metrics())?.[1];

test('a key is good, and is so again from the cache', async () => {
  const { text } = await identity.addApiKey();
  for (let times = 0; times < 3; times++) expect((await check(text)).status).toBe(200);
});

test('a key is 403 for /protected no more than it is enough: that needs a token', async () => {
  const { text } = await identity.addApiKey();
  expect(await statusOf(gateway, withApiKey(text), '/protected')).toBe(401);
  expect(await statusOf(gateway, withApiKey(createApiKeyText()), '/protected')).toBe(403);
});

describe('is refused: a key', () => {
  test('that is unknown', async () => {
    const before = await misses();
    expect(await check(createApiKeyText())).toMatchObject(REFUSED);
    expect(await misses()).not.toBe(before);
  });

  test('with a wrong checksum, or of another form, without a look-up', async () => {
    const { text } = await identity.addApiKey();
    const typo = text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const before = await misses();
    for (const key of [typo, text.slice(0, -1), `${text}0`, text.toUpperCase(), `${text}, ${text}`, 'afk_', 'x']) {
      expect(await check(key)).toMatchObject(REFUSED);
    }
    expect(await misses()).toBe(before);
    expect((await check(text)).status).toBe(200);
  });

  test('that was deleted', async () => {
    const { text, record } = await identity.addApiKey();
    expect((await check(text)).status).toBe(200);
    await identity.removeApiKey(record);
    await untilRefused(text);
  });

  test('that has expired', async () => {
    const past = await identity.addApiKey({ expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await check(past.text)).toMatchObject(REFUSED);
    const soon = await identity.addApiKey({ expires_at: new Date(Date.now() + 5_000).toISOString() });
    expect((await check(soon.text)).status).toBe(200);
    // From the cache.
    await untilRefused(soon.text);
  });

  test('whose owner is disabled or deleted', async () => {
    const user = await identity.addUser();
    const { text } = await identity.addApiKey({ owner_id: user.id, owner: user.email });
    expect((await check(text)).status).toBe(200);
    const disabled = await identity.changeUser(user, { disabled: true });
    await untilRefused(text);
    await identity.changeUser(disabled, { disabled: false });
    expect((await check(text)).status).toBe(200);
    await identity.removeUser(user);
    await untilRefused(text);
    // Another user with the same e-mail address does not own it.
    await identity.addUser({ email: user.email });
    expect(await check(text)).toMatchObject(REFUSED);
  });
});

test('after a rotation both keys are good until the end of the grace period', async () => {
  const { text: old, record } = await identity.addApiKey({ scopes: ['agents:read'] });
  expect((await check(old)).status).toBe(200);
  const rotated = await identity.rotateApiKey(record, new Date(Date.now() + 5_000));
  for (const key of [old, rotated.text]) {
    expect((await check(key)).status).toBe(200);
    expect(gateway.reached().at(-1)?.headers['x-fleet-principal']).toBe(`key:${record.id}`);
  }
  await untilRefused(old);
  expect((await check(rotated.text)).status).toBe(200);
  // A second rotation without grace replaces both at once.
  const last = await identity.rotateApiKey(rotated.record, new Date());
  await untilRefused(rotated.text);
  expect(await check(old)).toMatchObject(REFUSED);
  expect((await check(last.text)).status).toBe(200);
});

test('a key that another key made ends with that key, and with the user who made the first', async () => {
  const user = await identity.addUser();
  const owner = { owner_id: user.id, owner: user.email };
  const parent = await identity.addApiKey(owner);
  const child = await identity.addApiKey({ ...owner, parents: [parent.record.id] });
  const grandchild = await identity.addApiKey({ ...owner, parents: [parent.record.id, child.record.id] });
  const statuses = () => Promise.all([child, grandchild].map(({ text }) => statusOf(gateway, withApiKey(text))));
  expect(await statuses()).toEqual([200, 200]);
  const { keys } = identity;
  const parentText = (await identity.redis.get(keys.apiKey(parent.record.id))) as string;
  await identity.commit([['DEL', keys.apiKey(parent.record.id)]], [`key:${parent.record.id}`]);
  await until(async () => (await statuses()).every((status) => status === 403));
  await identity.commit([['SET', keys.apiKey(parent.record.id), parentText]], [`key:${parent.record.id}`]);
  await until(async () => (await statuses()).every((status) => status === 200));
  await identity.changeUser(user, { disabled: true });
  await until(async () => (await statuses()).every((status) => status === 403));
});

test('a key that a key of the environment made has at most its role, and ends without it', async () => {
  const of = async (owner: string) => {
    const { text } = await identity.addApiKey({ owner });
    return statusOf(gateway, withApiKey(text));
  };
  expect([await of('key:ci'), await of('key:gone')]).toEqual([200, 403]);
});

test('a key never has more rights than the role of its owner', async () => {
  const user = await identity.addUser();
  const { text } = await identity.addApiKey({
    owner_id: user.id,
    scopes: ['agents:read', 'agents:write', 'users:admin', 'audit:read'],
  });
  const scopes = async () => {
    await check(text);
    return gateway.reached().at(-1)?.headers['x-fleet-scopes'];
  };
  expect(await scopes()).toBe('agents:read agents:write audit:read users:admin');
  const operator = await identity.changeUser(user, { role: 'operator' });
  await until(async () => (await scopes()) === 'agents:read agents:write');
  expect(await send(gateway, '/users', { headers: withApiKey(text) })).toMatchObject({
    status: 403,
    body: { error: 'forbidden', details: { required: 'users:admin' } },
  });
  await identity.changeUser(operator, { role: 'worker' });
  await until(async () => (await scopes()) === 'agents:read');
});

test('only a key that is limited to agents names them to services', async () => {
  const all = await identity.addApiKey();
  await check(all.text);
  expect(gateway.reached().at(-1)?.headers).not.toHaveProperty('x-fleet-agents');
  const ids = Array.from({ length: 100 }, () => crypto.randomUUID());
  const limited = await identity.addApiKey({ agent_ids: ids });
  await check(limited.text);
  expect(gateway.reached().at(-1)?.headers['x-fleet-agents']).toBe(ids.join(','));
});

describe('the rate limit of a key', () => {
  const policyOf = async (rate_limit_per_minute: number | null) => {
    const { text } = await identity.addApiKey({ rate_limit_per_minute });
    return (await check(text)).headers.get('ratelimit-policy');
  };

  test('lowers that of all principals, and does not raise it', async () => {
    expect(await policyOf(null)).toBe('"principal";q=1000;w=60');
    expect(await policyOf(7)).toBe('"principal";q=7;w=60');
    expect(await policyOf(1_000)).toBe('"principal";q=1000;w=60');
    expect(await policyOf(5_000)).toBe('"principal";q=1000;w=60');
  });

  test('is counted for this key alone, and refusals are in the metrics', async () => {
    const [one, other] = [
      await identity.addApiKey({ rate_limit_per_minute: 2 }),
      await identity.addApiKey({ rate_limit_per_minute: 2 }),
    ];
    const statuses = [];
    for (let times = 0; times < 3; times++) statuses.push((await check(one.text)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await check(other.text)).status).toBe(200);
    expect(await gateway.metrics()).toContain('gateway_rate_limited_total{policy="principal"} 1\n');
  });

  test('applies where principals have none', async () => {
    const unlimited = await startWithServices({ RATE_LIMIT_PER_MINUTE: '0' });
    const { text } = await unlimited.identity.addApiKey({ rate_limit_per_minute: 2 });
    const { text: free } = await unlimited.identity.addApiKey();
    expect((await send(unlimited, '/agents', { headers: withApiKey(free) })).headers.get('ratelimit')).toBeNull();
    const statuses = [];
    for (let times = 0; times < 3; times++) statuses.push(await statusOf(unlimited, withApiKey(text)));
    expect(statuses).toEqual([200, 200, 429]);
  });
});

test('uses of a key are noted, at most once while it is in the cache', async () => {
  const { text, record } = await identity.addApiKey();
  const key = identity.keys.used(record.id);
  await check(text);
  const first = Number(await identity.redis.get(key));
  expect(Math.abs(Date.now() - first)).toBeLessThan(5_000);
  await check(text);
  expect(Number(await identity.redis.get(key))).toBe(first);
});

test('uses of a key of the environment are noted by its id', async () => {
  const name = 'noted';
  const key = 'noted-key-0123456789';
  const other = await startWithServices({ API_KEYS: `${name}:viewer:${key}` });
  const [{ id } = { id: '' }] = parseApiKeys(`${name}:${key}`).list;
  const usedAt = async () => Number(await other.identity.redis.get(other.identity.keys.used(id)));
  expect(await usedAt()).toBe(0);
  await until(async () => (await statusOf(other, withApiKey(key))) === 200 && (await usedAt()) > 0);
  const first = await usedAt();
  await statusOf(other, withApiKey(key));
  expect(await usedAt()).toBe(first);
});
