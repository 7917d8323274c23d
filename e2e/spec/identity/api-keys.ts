import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { SCOPE_NAMES } from '@agent-fleet/shared/contract/scopes';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { type ApiKey, apiKey, type NewApiKey } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import type { Credential } from '../../harness/http-client.ts';
import {
  expectDetail,
  expectError,
  expectForbidden,
  expectInvalid,
  expectJson,
  expectNoBody,
  expectResponse,
  STRONG_ETAG,
  TIMESTAMP,
  UUID_V7,
} from '../expectations.ts';
import { specifyKeyGrants } from './key-grants.ts';
import { untilRefused } from './users.ts';

const INVALID = 'Invalid API key';
const NOT_FOUND = 'API key not found';
const DAY_MS = 86_400_000;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The documented checksum: CRC-32 in base62 with six digits. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  return Array.from({ length: 6 }, () => {
    const digit = DIGITS[rest % 62];
    rest = Math.floor(rest / 62);
    return digit;
  })
    .reverse()
    .join('');
}

/** docs/contract.md "API keys". */
export function specifyApiKeys(api: Api): void {
  const { accounts } = api;
  const withoutKey = ({ key: _, ...rest }: NewApiKey): ApiKey => rest;
  const use = (text: string) => api.call('GET', '/agents', { as: apiKey(text) });

  test('POST /api-keys is 201 with exactly the fields of a key and the key itself, which no other response has', async () => {
    const response = await accounts.postKey({ name: 'Build workers', role: 'worker' });
    expect(response.status).toBe(201);
    expectJson(response);
    const made = response.json as NewApiKey;
    expect(made).toEqual({
      id: expect.stringMatching(UUID_V7),
      name: 'Build workers',
      scopes: ['agents:read', 'tasks:read', 'leases:write'],
      agent_ids: null,
      owner: expect.any(String),
      source: 'api',
      created_at: expect.stringMatching(TIMESTAMP),
      expires_at: expect.stringMatching(TIMESTAMP),
      last_used_at: null,
      rate_limit_per_minute: null,
      key: expect.stringMatching(/^afk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/),
    });
    expect(made.key.slice(-6)).toBe(checksumOf(made.key.slice(0, -6)));
    expect(Date.parse(String(made.expires_at)) - Date.parse(String(made.created_at))).toBe(90 * DAY_MS);
    expect(response.headers.location).toBe(`/api-keys/${made.id}`);
    expect(response.headers.etag).toMatch(STRONG_ETAG);
    expect(response.headers['cache-control']).toBe('no-store');
    expectResponse(await api.get(`/api-keys/${made.id}`), 200, withoutKey(made));
    expect((await api.get('/api-keys?limit=1000')).text).not.toContain(made.key.slice(17));
    expect((await use(made.key)).status).toBe(200);
    expectNoBody(await api.call('DELETE', `/api-keys/${made.id}`), 204);
    expectDetail(await api.get(`/api-keys/${made.id}`), 404, NOT_FOUND);
  });

  describe('an invalid key is 400 with the names of the fields:', () => {
    const good = { name: 'A key', role: 'viewer' };
    test.each<[string, unknown, ...string[]]>([
      ['no fields', {}, 'name'],
      ['neither role nor scopes', { name: 'x' }, 'scopes'],
      ['role and scopes that are null', { name: 'x', role: null, scopes: null }, 'scopes'],
      ['both role and scopes', { ...good, scopes: ['tasks:read'] }, 'scopes'],
      ['an unknown role', { ...good, role: 'root' }, 'role'],
      ['a role of the object', { ...good, role: 'constructor' }, 'role'],
      ['a scope of the object', { name: 'x', scopes: ['__proto__'] }, 'scopes.0'],
      ['an unknown scope', { name: 'x', scopes: ['tasks:read', 'tasks:*'] }, 'scopes.1'],
      ['no scope', { name: 'x', scopes: [] }, 'scopes'],
      ['scopes in a text', { name: 'x', scopes: 'tasks:read' }, 'scopes'],
      ['an empty name', { ...good, name: '' }, 'name'],
      ['a name of blanks', { ...good, name: ' \t ' }, 'name'],
      ['a name that is a number', { ...good, name: 7 }, 'name'],
      ['a name of 101 characters', { ...good, name: 'x'.repeat(101) }, 'name'],
      ['an empty list of agents', { ...good, agent_ids: [] }, 'agent_ids'],
      ['101 agents', { ...good, agent_ids: Array(101).fill('a') }, 'agent_ids'],
      ['an agent with a comma', { ...good, agent_ids: ['a,b'] }, 'agent_ids.0'],
      ['an agent with a blank', { ...good, agent_ids: ['a b'] }, 'agent_ids.0'],
      ['an agent with a line break', { ...good, agent_ids: ['a\r\nx: y'] }, 'agent_ids.0'],
      ['an agent of 65 characters', { ...good, agent_ids: ['x'.repeat(65)] }, 'agent_ids.0'],
      ['an empty agent', { ...good, agent_ids: [''] }, 'agent_ids.0'],
      ['an agent that is null', { ...good, agent_ids: [null] }, 'agent_ids.0'],
      ['a time that is none', { ...good, expires_at: 'tomorrow' }, 'expires_at'],
      ['a date without a time', { ...good, expires_at: '2030-01-01' }, 'expires_at'],
      ['a time that is a number', { ...good, expires_at: 1_900_000_000 }, 'expires_at'],
      ['a rate limit of 0', { ...good, rate_limit_per_minute: 0 }, 'rate_limit_per_minute'],
      ['a rate limit of 1.5', { ...good, rate_limit_per_minute: 1.5 }, 'rate_limit_per_minute'],
      ['a rate limit of more than 1e9', { ...good, rate_limit_per_minute: 1_000_000_001 }, 'rate_limit_per_minute'],
    ])('%s', async (_what, body, ...paths) => {
      expectInvalid(await api.call('POST', '/api-keys', { body }), ...paths);
    });
  });

  test('a name has 1 to 100 code points and is stored unchanged', async () => {
    for (const name of ['x', '😀'.repeat(100), '  Ada ', '"quoted"\\']) {
      expect((await accounts.createKey({ name })).name).toBe(name);
    }
    expect((await accounts.createKey({ name: 'half \udead' })).name).toBe('half \ufffd');
  });

  test('a key may have the longest texts, 100 agents and the highest limit, and names scopes and agents once', async () => {
    const agent_ids = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(64, '~'));
    const longest = { agent_ids, rate_limit_per_minute: 1_000_000_000 };
    expect(await accounts.createKey(longest)).toMatchObject(longest);
    const twice = { scopes: ['tasks:read', 'agents:read', 'tasks:read'], agent_ids: ['b', 'a', 'b'] };
    const once = { scopes: ['agents:read', 'tasks:read'], agent_ids: ['b', 'a'] };
    expect(await accounts.createKey(twice)).toMatchObject(once);
    expect((await accounts.createKey({ role: 'admin', scopes: null })).scopes).toEqual(SCOPE_NAMES);
  });

  test('the expiry may have any offset, and is served in UTC', async () => {
    const time = new Date(Date.now() + DAY_MS).toISOString().slice(0, 19);
    const { expires_at } = await accounts.createKey({ expires_at: `${time}.5+05:30` });
    expect(expires_at).toBe(new Date(`${time}.500+05:30`).toISOString());
    expect((await accounts.createKey({ expires_at: `${time.toLowerCase()}z` })).expires_at).toBe(`${time}.000Z`);
  });

  test('a key ends after at most 366 days, and after its expiry it is refused', async () => {
    const at = (ms: number) => ({ expires_at: new Date(Date.now() + ms).toISOString() });
    for (const [code, ms] of [
      ['in_the_past', -1_000],
      ['too_far_ahead', 366 * DAY_MS + 60_000],
      ['too_far_ahead', 366_000 * DAY_MS],
    ] as const) {
      const refused = await accounts.postKey(at(ms));
      expectError(refused, 422, 'semantic_error');
      expect(refused.json).toMatchObject({ details: { fields: [{ path: 'expires_at', code }] } });
    }
    expect((await accounts.postKey(at(366 * DAY_MS - 60_000))).status).toBe(201);
    const { id, key } = await accounts.createKey(at(5_000));
    expect((await use(key)).status).toBe(200);
    await sleep(5_100);
    expectDetail(await use(key), 403, INVALID);
    expectError(await accounts.rotate(id), 422, 'semantic_error');
    expectNoBody(await api.call('DELETE', `/api-keys/${id}`), 204);
  });

  test('a key manages no keys unless it has users:admin', async () => {
    const { id, key } = await accounts.createKey({ scopes: SCOPE_NAMES.filter((scope) => scope !== 'users:admin') });
    const as = apiKey(key);
    for (const [method, path, body] of [
      ['GET', '/api-keys', undefined],
      ['POST', '/api-keys', { name: 'x', role: 'viewer' }],
      ['POST', '/api-keys', { bad: true }],
      ['GET', `/api-keys/${id}`, undefined],
      ['DELETE', `/api-keys/${id}`, undefined],
      ['POST', `/api-keys/${id}/rotations`, undefined],
      ['POST', `/api-keys/${id}/rotations`, { bad: true }],
    ] as const) {
      expectForbidden(await api.call(method, path, { as, body }), 'users:admin');
    }
  });

  test('users see and touch only their own keys, admins all', async () => {
    const [one, other] = [await accounts.create(), await accounts.create()];
    const [asOne, asOther] = [await accounts.signInAs(one), await accounts.signInAs(other)];
    const made = [await accounts.createKey({}, asOne), await accounts.createKey({ name: 'Second' }, asOne)];
    const list = await api.call('GET', '/api-keys', { as: asOne });
    expectResponse(list, 200, made.map(withoutKey));
    for (const { owner } of made) expect(owner).toBe(one.email);
    expect(list.headers['x-total-count']).toBe('2');
    expectResponse(await api.call('GET', '/api-keys', { as: asOther }), 200, []);
    const [first] = made as [NewApiKey];
    for (const id of [first.id, first.id.toUpperCase(), crypto.randomUUID(), 'x', '*', '__proto__']) {
      const path = `/api-keys/${id}`;
      expectDetail(await api.call('GET', path, { as: asOther }), 404, NOT_FOUND);
      expectDetail(await api.call('DELETE', path, { as: asOther }), 404, NOT_FOUND);
      for (const body of [undefined, { bad: true }]) {
        expectDetail(await accounts.rotate(id, body, asOther), 404, NOT_FOUND);
      }
    }
    expect((await use(first.key)).status).toBe(200);
    expect(((await api.get('/api-keys?limit=1000')).json as ApiKey[]).map(({ id }) => id)).toEqual(
      expect.arrayContaining(made.map(({ id }) => id)),
    );
    const path = `/api-keys/${first.id}`;
    expect((await api.get(path)).json).toMatchObject({ owner: one.email });
    expect((await accounts.rotate(first.id)).status).toBe(201);
    expectNoBody(await api.call('DELETE', path), 204);
    expectDetail(await api.call('GET', path, { as: asOne }), 404, NOT_FOUND);
    await untilRefused(api, apiKey(first.key), 403);
  });

  test('the own keys have pages, oldest first', async () => {
    const as = await accounts.signInAs(await accounts.create());
    const made: string[] = [];
    for (let number = 0; number < 5; number++) made.push((await accounts.createKey({}, as)).id);
    const page = await api.call('GET', '/api-keys?skip=1&limit=2', { as });
    expect((page.json as ApiKey[]).map(({ id }) => id)).toEqual(made.slice(1, 3));
    expect(page.headers).toMatchObject({
      'x-total-count': '5',
      link: '</api-keys?skip=3&limit=2>; rel="next", </api-keys?skip=0&limit=2>; rel="prev"',
    });
    const beyond = await api.call('GET', '/api-keys?skip=10', { as });
    expect([beyond.json, beyond.headers['x-total-count']]).toEqual([[], '5']);
  });

  test('a key of the environment is listed first, for admins only, and cannot be deleted or rotated', async () => {
    const [key] = (await api.get('/api-keys')).json as [ApiKey];
    const { last_used_at: _, ...fixed } = key;
    expect(fixed).toEqual({
      id: expect.any(String),
      name: expect.any(String),
      scopes: SCOPE_NAMES,
      agent_ids: null,
      owner: null,
      source: 'environment',
      created_at: null,
      expires_at: null,
      rate_limit_per_minute: null,
    });
    const path = `/api-keys/${key.id}`;
    expectResponse(await api.get(path), 200, { ...key, last_used_at: expect.anything() });
    expectError(await api.call('DELETE', path), 409, 'managed_by_environment');
    for (const body of [undefined, { bad: true }]) {
      expectError(await accounts.rotate(key.id, body), 409, 'managed_by_environment');
    }
    expect((await api.get('/api-keys?limit=1000')).text).not.toContain(api.apiKey);
    const as = await accounts.signInAs(await accounts.create('operator'));
    expectResponse(await api.call('GET', '/api-keys', { as }), 200, []);
    expectDetail(await api.call('GET', path, { as }), 404, NOT_FOUND);
    expectDetail(await api.call('DELETE', path, { as }), 404, NOT_FOUND);
  });

  test('a rotation keeps everything but the key, and both keys work through the grace', async () => {
    const agent_ids = [(await api.createAgent()).id];
    const made = await accounts.createKey({ role: 'worker', agent_ids, rate_limit_per_minute: 1_000 });
    const response = await accounts.rotate(made.id, { grace_seconds: 5 });
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ location: `/api-keys/${made.id}`, 'cache-control': 'no-store' });
    const rotated = response.json as NewApiKey;
    expect(withoutKey(rotated)).toEqual(withoutKey(made));
    expect(rotated.key).not.toBe(made.key);
    for (const { key } of [made, rotated]) expect((await use(key)).status).toBe(200);
    await sleep(5_100);
    expectDetail(await use(made.key), 403, INVALID);
    expect((await use(rotated.key)).status).toBe(200);
  });

  test('a rotation without a grace ends all keys before', async () => {
    const first = await accounts.createKey();
    const second = (await accounts.rotate(first.id)).json as NewApiKey;
    for (const { key } of [first, second]) expect((await use(key)).status).toBe(200);
    const third = (await accounts.rotate(first.id, { grace_seconds: 0 })).json as NewApiKey;
    for (const { key } of [first, second]) await untilRefused(api, apiKey(key), 403);
    expect((await use(third.key)).status).toBe(200);
  });

  test('an invalid grace is 400', async () => {
    const { id } = await accounts.createKey();
    for (const grace_seconds of [-1, 604_801, 1.5, '60', null]) {
      expectInvalid(await accounts.rotate(id, { grace_seconds }), 'grace_seconds');
    }
  });

  test('If-Match protects a key from being deleted as another', async () => {
    const { id } = await accounts.createKey();
    const remove = (tag: string) => api.call('DELETE', `/api-keys/${id}`, { headers: { 'if-match': tag } });
    expectError(await remove('"other"'), 412, 'precondition_failed');
    expectNoBody(await remove(`"x", ${(await api.get(`/api-keys/${id}`)).headers.etag}`), 204);
  });

  test('the last use of a key is known to within a minute', async () => {
    const as = await accounts.signInAs(await accounts.create());
    const { id, key } = await accounts.createKey({}, as);
    const unused = String((await api.get(`/api-keys/${id}`)).headers.etag);
    const before = Date.now();
    await use(key);
    const lastUse = async () => ((await api.get(`/api-keys/${id}`)).json as ApiKey).last_used_at;
    const used = await until(lastUse, { message: 'the use is known', timeoutMs: 60_000, holds: (at) => at !== null });
    expect(Math.abs(Date.parse(String(used)) - before)).toBeLessThan(60_000);
    const list = await api.call('GET', '/api-keys', { as });
    expect(list.json).toMatchObject([{ id, last_used_at: used }]);
    const stale = await api.call('DELETE', `/api-keys/${id}`, { headers: { 'if-match': unused } });
    expectError(stale, 412, 'precondition_failed');
  });

  test('a key with a rate limit of its own is 429 above it, and other keys are not', async () => {
    const { key } = await accounts.createKey({ rate_limit_per_minute: 3 });
    const statuses: number[] = [];
    for (let time = 0; time < 5; time++) statuses.push((await use(key)).status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    const refused = await use(key);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect((await api.get('/agents')).status).toBe(200);
  });

  describe('a key that is not exactly one is 403:', () => {
    const changes: Record<string, (key: string) => string> = {
      'another last digit': (key) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'),
      'another secret with its checksum': (key) => {
        const start = `${key.slice(0, 17)}${'A'.repeat(32)}`;
        return start + checksumOf(start);
      },
      'another id with its checksum': (key) => {
        const start = `afk_${'B'.repeat(12)}${key.slice(16, -6)}`;
        return start + checksumOf(start);
      },
      'without its prefix': (key) => key.slice(4),
      'its prefix in capitals': (key) => key.replace('afk_', 'AFK_'),
      'with text behind it': (key) => `${key}0`,
      'its id only': (key) => key.slice(0, 16),
    };
    test.each(Object.entries(changes))('%s', async (_what, change) => {
      const { key } = await accounts.createKey();
      expect((await use(key)).status).toBe(200);
      expectDetail(await use(change(key)), 403, INVALID);
    });
  });

  test('a key never works later than its deletion, however many requests are in flight', async () => {
    const delays: number[] = [];
    for (let round = 0; round < 8; round++) {
      const { id, key } = await accounts.createKey();
      delays.push(await lastUseAfter(apiKey(key), () => api.call('DELETE', `/api-keys/${id}`)));
    }
    // A request that began before the change may end after it.
    expect(delays.toSorted((one, other) => one - other).at(-1)).toBeLessThan(300);
  });

  /** Uses a credential from four clients during its revocation; how long after the answer it was accepted, in ms. */
  async function lastUseAfter(as: Credential, revoke: () => Promise<unknown>): Promise<number> {
    let acceptedAt = 0;
    let isRefused = false;
    let isOver = false;
    const spam = async () => {
      while (!isOver) {
        const began = performance.now();
        isRefused = (await api.call('GET', '/agents?limit=1', { as })).status !== 200;
        if (!isRefused) acceptedAt = Math.max(acceptedAt, began);
      }
    };
    const clients = Array.from({ length: 4 }, spam);
    await sleep(20);
    await revoke();
    const revokedAt = performance.now();
    await until(() => isRefused);
    await sleep(400);
    isOver = true;
    await Promise.all(clients);
    return acceptedAt - revokedAt;
  }

  specifyKeyGrants(api);
}
