import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { allServices, startGateway, startWithServices, untilReady, WITH_KEY } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { startUpstream } from '../support/proxy.ts';
import { RedisLink } from '../support/redis-link.ts';
import { statusOf, withApiKey, withToken } from '../support/requests.ts';
import { expectRevocations, hitsOf, MOST_MS, ROUNDS, timeToRefusal, untilCached } from '../support/revocations.ts';

test('two gateways soon refuse what was revoked', () => expectRevocations(ROUNDS / 5));

describe('behind a network that fails', () => {
  let link: RedisLink;
  let gateway: Awaited<ReturnType<typeof startWithServices>>;
  let identity: TestIdentity;
  let user: UserRecord;
  let sessionId: string;
  let headers: Record<string, string>;

  beforeEach(async () => {
    link = await RedisLink.open();
    gateway = await startWithServices({ REDIS_URL: link.url, RATE_LIMIT_PER_MINUTE: '0' });
    ({ identity } = gateway);
    user = await identity.addUser();
    sessionId = crypto.randomUUID();
    headers = withToken(identity.issue(user, { sessionId }));
    await untilCached(gateway, headers);
  });

  const issue = () => withToken(identity.issue(user));

  /** Removes the user without an entry in the changes, so that its token goes on. */
  async function removeUnnoticed(): Promise<void> {
    const key = identity.keys.user(user.id);
    await until(async () => {
      await identity.redis.set(key, JSON.stringify(user));
      await untilCached(gateway, headers);
      await identity.redis.del(key);
      return (await statusOf(gateway, headers)) === 200;
    });
  }

  test('a token is refused within 3 s when the packets with the changes are lost', async () => {
    link.dropsFollower = true;
    await identity.revoke('session', sessionId);
    expect(await timeToRefusal(gateway, headers)).toBeLessThan(MOST_MS);
    // Meanwhile each use is verified anew, and a new connection finds out what is lost.
    const other = issue();
    const before = await hitsOf(gateway);
    for (let times = 0; times < 3; times++) expect(await statusOf(gateway, other)).toBe(200);
    expect(await hitsOf(gateway)).toBe(before);
    link.dropsFollower = false;
    await untilCached(gateway, other);
    expect(await statusOf(gateway, headers)).toBe(401);
  });

  test('a connection whose packets are lost is replaced', async () => {
    link.dropsFollower = true;
    await until(async () => {
      const before = await hitsOf(gateway);
      await statusOf(gateway, headers);
      return (await hitsOf(gateway)) === before;
    });
    await until(() => link.followers === 0);
    link.dropsFollower = false;
    await untilCached(gateway, headers);
  });

  test('a new connection drops everything, be it that of changes or of look-ups', async () => {
    await removeUnnoticed();
    link.breakFollower();
    await timeToRefusal(gateway, headers);
    await removeUnnoticed();
    link.breakOthers();
    await timeToRefusal(gateway, headers);
  });

  test.each<[string, (last: number) => (string | number)[][]]>([
    ['a gap', (last) => [['XADD', identity.keys.changes, `${last + 2}-0`, 'c', 'user:other']]],
    [
      'a number that goes back',
      () => [
        ['DEL', identity.keys.changes],
        ['XADD', identity.keys.changes, '1-0', 'c', 'user:other'],
      ],
    ],
    ['a stream that is gone', () => [['DEL', identity.keys.changes, identity.keys.change]]],
  ])('%s in the changes drops everything, and later changes are followed', async (_what, commandsFor) => {
    for (let times = 0; times < 3; times++) await identity.commit([], ['user:another']);
    // The follower has read these: the next one is known.
    const witness = await identity.addUser();
    const seen = withToken(identity.issue(witness));
    await untilCached(gateway, seen);
    await identity.changeUser(witness, { disabled: true });
    await timeToRefusal(gateway, seen);
    await removeUnnoticed();
    await identity.commit(commandsFor(Number(await identity.redis.get(identity.keys.change))));
    await timeToRefusal(gateway, headers);
    const [tail] = await identity.redis.xrevrange(identity.keys.changes, '+', '-', 'COUNT', 1);
    await identity.redis.set(identity.keys.change, Number.parseInt(tail?.[0] ?? '0', 10));
    const other = await identity.addUser();
    const of = withToken(identity.issue(other));
    await untilCached(gateway, of);
    await identity.changeUser(other, { disabled: true });
    await timeToRefusal(gateway, of);
  });

  test('without Redis, what was verified before goes on, the rest is 503, and keys of the environment go on', async () => {
    const unknown = issue();
    const { text } = await identity.addApiKey();
    const { cookie } = await identity.addSession(user);
    const known = [headers, withApiKey(text), { cookie: `fleet=${cookie}` }] as Record<string, string>[];
    for (const one of known) await untilCached(gateway, one);
    await link.close();
    // Also when changes are no longer followed.
    for (const startedAt = performance.now(); performance.now() - startedAt < 3_000; await sleep(200)) {
      for (const one of [...known, WITH_KEY]) expect(await statusOf(gateway, one)).toBe(200);
      for (const one of [unknown, withApiKey((await identity.addApiKey()).text)]) {
        expect(await statusOf(gateway, one)).toBe(503);
      }
      expect(await statusOf(gateway, withToken('a.b.c'))).toBe(401);
      expect(await statusOf(gateway, withApiKey('wrong'))).toBe(403);
    }
    await identity.removeUser(user);
    expect(await statusOf(gateway, headers)).toBe(200);
    await link.open();
    for (const one of [headers, unknown]) await until(async () => (await statusOf(gateway, one)) === 401);
    const cookieIsRefused = async () => (await statusOf(gateway, known[2] as Record<string, string>)) === 401;
    await until(cookieIsRefused, { timeoutMs: MOST_MS });
    await untilCached(gateway, withApiKey(text));
  });
});

describe('a request in progress of a principal that has changed', () => {
  const startStream = (res: ServerResponse) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  };

  async function startBefore(respond: (res: ServerResponse) => void, env: Record<string, string> = {}) {
    const { url } = await startUpstream((req, res) => {
      if (req.url?.startsWith('/events')) respond(res);
      else res.end('{}');
    });
    const gateway = await startGateway({ ...allServices(url), IDENTITY_URL: url, ...env });
    await untilReady(gateway).catch(() => {});
    // It follows the changes.
    await untilCached(gateway, withToken(gateway.identity.issue(await gateway.identity.addUser())));
    return gateway;
  }

  test('ends, if it is an event stream', async () => {
    const gateway = await startBefore(startStream);
    const [user, other] = [await gateway.identity.addUser(), await gateway.identity.addUser()];
    // A stream that has not begun would be refused instead.
    const open = (one: UserRecord) =>
      fetch(`${gateway.url}/events`, { headers: withToken(gateway.identity.issue(one)) });
    const [stream, otherStream] = [await open(user), await open(other)];
    let isOtherOpen = true;
    const kept = otherStream.text().finally(() => {
      isOtherOpen = false;
    });
    expect(await gateway.metrics()).toMatch(/http_requests_in_flight 2$/m);
    await gateway.identity.changeUser(user, { disabled: true });
    expect(await stream.text()).toBe('data: 1\n\n');
    expect(isOtherOpen).toBe(true);
    await gateway.identity.changeUser(other, {});
    expect(await kept).toBe('data: 1\n\n');
  });

  test('an event stream also ends when changes may have been missed, unless no record can end its key', async () => {
    const link = await RedisLink.open();
    const held: ServerResponse[] = [];
    const respond = (res: ServerResponse) => (res.req.url === '/events' ? startStream(res) : held.push(res));
    const gateway = await startBefore(respond, { REDIS_URL: link.url });
    const { identity } = gateway;
    const { text, record } = await identity.addApiKey();
    const open = (headers: Record<string, string>, query = '') => fetch(`${gateway.url}/events${query}`, { headers });
    await until(() => link.followers > 0);
    await untilCached(gateway, withApiKey(text));
    const stream = await open(withApiKey(text));
    const later = open(withApiKey(text), '?later');
    const kept = (await open(WITH_KEY)).body?.getReader();
    await kept?.read();
    await until(() => held.length === 1);
    // Without an entry in the changes.
    await identity.redis.del(identity.keys.apiKey(record.id));
    link.breakFollower();
    expect(await stream.text()).toBe('data: 1\n\n');
    expect((await open(withApiKey(text))).status).toBe(403);
    startStream(held[0] as ServerResponse);
    expect((await later).status).toBe(200);
    await (await later).text();
    expect(await Promise.race([kept?.read(), sleep(100, 'open')])).toBe('open');
    await link.close();
  });

  test('an event stream also ends when its credential expires', async () => {
    const gateway = await startBefore(startStream);
    const expires_at = new Date(Date.now() + 4_000).toISOString();
    const { text } = await gateway.identity.addApiKey({ expires_at });
    const stream = await fetch(`${gateway.url}/events`, { headers: withApiKey(text) });
    expect(stream.status).toBe(200);
    expect(await stream.text()).toBe('data: 1\n\n');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
    expect(await statusOf(gateway, withApiKey(text))).toBe(403);
  });
});
