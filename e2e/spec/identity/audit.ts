import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { apiKey, bearer, type NewApiKey } from '../../harness/accounts.ts';
import type { Api } from '../../harness/api.ts';
import type { HttpResponse } from '../../harness/http-client.ts';
import { expectInvalid, expectNoBody, listAll, pagesOf, TIMESTAMP, UUID_V7 } from '../expectations.ts';
import { specifyAgentAudit } from './agent-audit.ts';

export interface AuditEvent {
  id: string;
  at: string;
  actor: { type: string; id: string | null; name: string | null };
  action: string;
  target: { type: string; id: string } | null;
  outcome: string;
  address: string | null;
  request_id: string | null;
  details?: Record<string, string>;
}

const LINES = 'application/x-ndjson';
const ARRIVES_MS = 5_000;

/** docs/contract.md "Audit". */
export function specifyAudit(api: Api): void {
  const { accounts } = api;
  const read = async (query: string) => (await api.get(`/audit-events?${query}`)).json as AuditEvent[];
  /** The event of a request, which some processes write after they have answered. */
  async function eventOf({ headers }: HttpResponse, action: string): Promise<AuditEvent> {
    const isIt = (event: AuditEvent) => event.request_id === headers['x-request-id'];
    const find = async () => (await read(`action=${action}&order=desc&limit=1000`)).find(isIt);
    const found = await until(find, {
      message: `${action} is in the trail`,
      timeoutMs: ARRIVES_MS,
      holds: (event) => event !== undefined,
    });
    return found as AuditEvent;
  }

  test('a change names who did what, from where, by which request', async () => {
    const response = await api.call('POST', '/users', { as: 'token', body: { email: newEmail(), role: 'viewer' } });
    const { id } = response.json as { id: string };
    const { json: me } = await api.call('GET', '/users/me', { as: 'token' });
    expect(await eventOf(response, 'user.created')).toEqual({
      id: expect.stringMatching(UUID_V7),
      at: expect.stringMatching(TIMESTAMP),
      actor: { type: 'user', id: (me as { id: string }).id, name: api.admin.email },
      action: 'user.created',
      target: { type: 'user', id },
      outcome: 'success',
      address: expect.stringMatching(/^[\d.:a-f]+$/),
      request_id: response.headers['x-request-id'],
    });
    await api.call('DELETE', `/users/${id}`);
  });

  test('every change of users, keys and sessions has its event', async () => {
    const account = await accounts.create();
    const at = `/users/${account.id}`;
    // The second one changes nothing.
    for (let time = 0; time < 2; time++) await api.call('PUT', at, { body: { role: 'worker', disabled: false } });
    const { access_token, refresh_token = '' } = await accounts.signIn(account, 'offline_access');
    const as = bearer(access_token);
    await accounts.refresh(refresh_token);
    await accounts.openSession(account);
    const key = await accounts.createKey({ role: 'worker' }, as);
    await accounts.rotate(key.id, undefined, as);
    await api.call('DELETE', `/api-keys/${key.id}`, { as });
    const body = { current_password: account.password, new_password: accounts.newPassword() };
    await api.call('PUT', '/users/me/password', { as, body });
    await api.call('PUT', '/users/me/password', { as, body });
    await accounts.revoke(access_token);
    await accounts.revoke(refresh_token);
    await accounts.useReset(await accounts.createReset(account.id), accounts.newPassword());
    await api.call('DELETE', at);
    const own = (await read(`actor=${account.email.toUpperCase()}&limit=1000`)).map(toText);
    expect(own).toEqual([
      ...['session.created success', 'token.issued success', 'token.refreshed success', 'session.created success'],
      ...['key.created success', 'key.rotated success', 'key.deleted success'],
      ...['user.password_changed success', 'user.password_changed failure'],
      ...['token.revoked success', 'token.revoked success', 'user.password_reset success'],
    ]);
    expect((await read(`target=${account.id}&limit=1000`)).map(toText)).toEqual([
      ...['user.created success', 'user.changed success'],
      ...['user.password_changed success', 'user.password_changed failure'],
      ...['user.password_reset_created success', 'user.password_reset success', 'user.deleted success'],
    ]);
    expect((await read(`target=${key.id}`)).map(toText)).toEqual([
      'key.created success',
      'key.rotated success',
      'key.deleted success',
    ]);
  });

  test('a failed sign-in has the account that was tried, and whether it exists is seen only there', async () => {
    const account = await accounts.create();
    for (const [username, id] of [
      [account.email, account.id],
      ['nobody@e2e.example', null],
    ]) {
      const refused = await accounts.postToken({ username: String(username), password: 'wrong' });
      const event = await eventOf(refused, 'sign_in.failed');
      expect(event).toMatchObject({ outcome: 'failure', actor: { type: 'anonymous' } });
      expect(JSON.stringify(event)).toContain(String(username));
      if (id !== null) expect(JSON.stringify(event)).toContain(id);
      const browser = await accounts.postSession({ username, password: 'wrong' });
      expect((await eventOf(browser, 'sign_in.failed')).outcome).toBe('failure');
    }
    const long = await accounts.postToken({ username: 'x'.repeat(10_000), password: 'wrong' });
    expect((await eventOf(long, 'sign_in.failed')).actor.name).toBe('x'.repeat(254));
  });

  test('a refused credential that belonged to somebody has an event, and a random one has none', async () => {
    const account = await accounts.create();
    const { access_token } = await accounts.signIn(account);
    const { id, key } = await accounts.createKey();
    await accounts.revoke(access_token);
    await api.call('DELETE', `/api-keys/${id}`);
    const token = await refusedBy(bearer(access_token), 401);
    expect(await eventOf(token, 'token.refused')).toMatchObject({
      actor: { type: 'user', id: account.id, name: account.email },
      outcome: 'failure',
    });
    const ofKey = await refusedBy(apiKey(key), 403);
    expect(await eventOf(ofKey, 'key.refused')).toMatchObject({ actor: { type: 'key', id }, outcome: 'failure' });
    const random = await refusedBy(apiKey('random'), 403);
    const events = await read('order=desc&limit=1000');
    expect(events.filter(({ request_id }) => request_id === random.headers['x-request-id'])).toEqual([]);
  });

  /** The first response that refuses a credential. */
  async function refusedBy(as: Record<string, string>, status: number): Promise<HttpResponse> {
    const send = () => api.call('GET', '/agents', { as });
    return until(send, { message: 'refused', timeoutMs: 3_000, holds: (response) => response.status === status });
  }

  test.each([
    ['/agents', {}],
    ['/api-keys', { name: 'wider', scopes: ['agents:write'] }],
  ])('a scope that is missing for POST %s has an event, whichever service finds it', async (path, body) => {
    const account = await accounts.create('viewer');
    const refused = await api.call('POST', path, { as: await accounts.signInAs(account), body });
    expect(refused.status).toBe(403);
    expect(await eventOf(refused, 'access.refused')).toMatchObject({
      actor: { id: account.id },
      target: { type: 'operation', id: `POST ${path}` },
    });
  });

  describe('Agents and tasks:', () => specifyAgentAudit(api));

  test('after, limit and Link page through events, oldest first, and filters combine', async () => {
    const account = await accounts.create();
    for (let time = 0; time < 5; time++) await accounts.signIn(account);
    const query = `actor=${account.id}&action=token.*`;
    const all = await read(query);
    expect(all).toHaveLength(5);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted());
    const pages = (await pagesOf(api, `/audit-events?${query}&limit=2`)).map(({ json }) => json as AuditEvent[]);
    expect(pages.filter(({ length }) => length > 2)).toEqual([]);
    expect(pages.flat()).toEqual(all);
    expect(await read(`${query}&after=${all[2]?.id}`)).toEqual(all.slice(3));
    expect(await read(`${query}&target=none`)).toEqual([]);
    expect(await read(`actor=${account.id}&action=user.created`)).toEqual([]);
    expect(await read(`${query}&after=&order=asc&target=`)).toEqual(all);
  });

  test('a wrong parameter is 400 that names it, of a list and of an export', async () => {
    const id = '00000000-0000-7000-8000-000000000001';
    const ids = ['x', '-1', '0-0', 'a'.repeat(36), id.slice(1), id.replace('7', '4'), `${id}&after=${id}`];
    for (const query of [
      ...[...ids, 'ffffffff-ffff-7fff-bfff-ffffffffffff'].map((after) => `after=${after}`),
      ...['limit=0', 'limit=1001', 'limit=-1', 'limit=1e2', 'limit=5&limit=6', 'limit=x'],
      ...['order=', 'order=DESC', 'order=newest', 'order=asc&order=desc'],
      ...['actor=a&actor=b', 'action=a&action=b', 'target=a&target=b'],
    ]) {
      for (const accept of ['application/json', LINES]) {
        expectInvalid(await api.get(`/audit-events?${query}`, { accept }), String(query.split('=')[0]));
      }
    }
  });

  test('lines are for those who prefer them, and JSON for all others', async () => {
    const typeOf = async (accept: string) =>
      (await api.get('/audit-events?limit=1', { accept })).headers['content-type'];
    for (const accept of ['*/*', 'application/*', 'text/html', `${LINES};q=0`, `application/json, ${LINES}`, 'x']) {
      expect([accept, await typeOf(accept)]).toEqual([accept, 'application/json; charset=utf-8']);
    }
    expect(await typeOf(`text/html;q=0.5, application/*;q=0.2, ${LINES}`)).toBe(`${LINES}; charset=utf-8`);
  });

  test('order=desc lists and exports the newest first, and continues with older ones', async () => {
    const account = await accounts.create();
    for (let time = 0; time < 5; time++) await accounts.signIn(account);
    const query = `actor=${account.id}&action=token.*`;
    const newest = (await read(query)).toReversed();
    expect(newest).toHaveLength(5);
    expect(await listAll(api, `/audit-events?${query}&order=desc&limit=2`)).toEqual(newest);
    expect(await read(`${query}&order=desc&limit=2&after=${newest[1]?.id}`)).toEqual(newest.slice(2, 4));
    const lines = await api.get(`/audit-events?${query}&order=desc&limit=3`, { accept: LINES });
    const exported = lines.text.trimEnd().split('\n');
    expect(exported.map((line) => JSON.parse(line))).toEqual(newest.slice(0, 3));
  });

  test('the export has an event a line, all of them without a limit, and HEAD has no body', async () => {
    const account = await accounts.create();
    for (let time = 0; time < 3; time++) await accounts.signIn(account);
    const path = `/audit-events?actor=${account.id}`;
    const lines = await api.get(path, { accept: LINES });
    expect([lines.status, lines.headers['content-type']]).toEqual([200, expect.stringContaining(LINES)]);
    const events = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toEqual((await api.get(path)).json);
    const whole = await api.get('/audit-events', { accept: LINES });
    expect(whole.text.trimEnd().split('\n').length).toBeGreaterThan(20);
    const head = await api.call('HEAD', path, { headers: { accept: LINES } });
    expect([head.status, head.text]).toEqual([200, '']);
    expectNoBody(await api.call('OPTIONS', '/audit-events'), 204);
  });

  test('no event has a password, token, key, cookie or reset code', async () => {
    const account = await accounts.create();
    const key = await accounts.createKey({}, await accounts.signInAs(account));
    await accounts.rotate(key.id);
    await accounts.useReset(await accounts.createReset(account.id), accounts.newPassword());
    await api.call('GET', '/agents', { as: apiKey((await accounts.createKey()).key) });
    const { text } = await api.get('/audit-events', { accept: LINES });
    expect([...accounts.secrets].filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).toContain((key as NewApiKey).id);
  });
}

function newEmail(): string {
  return `${crypto.randomUUID()}@e2e.example`;
}

function toText({ action, outcome }: AuditEvent): string {
  return `${action} ${outcome}`;
}
