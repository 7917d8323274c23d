import { createApiKeyText } from '@agent-fleet/access/api-key-text';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startCollector } from '../support/collector.ts';
import {
  allServices,
  nowhere,
  startGateway,
  startWithServices,
  type TestGateway,
  WITH_KEY,
} from '../support/gateway.ts';
import { RedisLink } from '../support/redis-link.ts';
import { send, withApiKey, withToken } from '../support/requests.ts';

const PASSWORD = 'the-password-hunter2';
const CODE = 'the-reset-code-hunter2';

/** Good and bad credentials of all kinds, and the texts that no log may have. */
async function createCredentials({ identity }: TestGateway) {
  const user = await identity.addUser();
  const token = identity.issue(user);
  const { text: key, record } = await identity.addApiKey();
  const { cookie } = await identity.addSession(user);
  const revoked = identity.issue(user, { sessionId: 'revoked' });
  await identity.revoke('session', 'revoked');
  const gone = await identity.addApiKey();
  await identity.removeApiKey(gone.record);
  const broken = await identity.addApiKey();
  await identity.redis.del(identity.keys.apiKey(broken.record.id));
  await identity.redis.lpush(identity.keys.apiKey(broken.record.id), 'of another type');
  const unknown = createApiKeyText();
  const headers = [
    ...[withToken(token), withToken(revoked), withToken(`${token}x`), withToken(token.slice(0, -9))],
    ...[withApiKey(key), withApiKey(gone.text), withApiKey(broken.text), withApiKey(unknown), withApiKey(`${key}x`)],
    ...[{ cookie: `fleet=${cookie}` }, { cookie: `fleet=${cookie}x` }, { cookie: `fleet=${cookie}; fleet=${cookie}` }],
    ...[{ authorization: `Basic ${btoa(`a:${PASSWORD}`)}` }, WITH_KEY],
  ] as Record<string, string>[];
  const texts = [
    ...[token, revoked, key, gone.text, broken.text, unknown, cookie, PASSWORD, CODE, WITH_KEY['x-api-key']],
    ...[record.hash, btoa(`a:${PASSWORD}`)],
  ];
  // The signature of a token or the secret of a key alone would do.
  return {
    headers,
    secrets: [...texts, ...texts.map((text) => text.slice(-20)), token.slice(0, 60)],
  };
}

async function sendAll(gateway: TestGateway, headers: Record<string, string>[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const one of headers) {
    for (const path of ['/agents', '/protected', '/users', '/nowhere', `/agents?key=${CODE}`]) {
      statuses.push((await send(gateway, path, { headers: one })).status);
    }
    statuses.push((await send(gateway, '/agents', { method: 'DELETE', headers: one })).status);
  }
  const body = new URLSearchParams({ username: 'a@b.example', password: PASSWORD });
  for (const path of ['/token', '/session', '/revoke']) await send(gateway, path, { method: 'POST', body });
  for (const path of [CODE, `${CODE}/`, `${CODE}/x`, `%41${CODE}`, `${CODE}?a=b`, `${CODE}%2f`]) {
    for (const method of ['PUT', 'GET']) {
      const rest = method === 'PUT' ? { body } : {};
      await send(gateway, `/password-resets/${path}`, { method, ...rest });
    }
  }
  return statuses;
}

/** A name for the first of the secrets that the text has, for a short failure. */
function findSecret(text: string, secrets: string[]): string | undefined {
  const found = secrets.find((secret) => text.includes(secret));
  return found && `…${text.slice(Math.max(text.indexOf(found) - 200, 0), text.indexOf(found))}<secret>`;
}

test('no log line, metric, span, audit entry or key in Redis has a credential', async () => {
  const collector = await startCollector();
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '1' };
  const link = await RedisLink.open();
  const gateway = await startWithServices({
    LOG_LEVEL: 'trace',
    REDIS_URL: link.url,
    RATE_LIMIT_PER_MINUTE: '0',
    ...tracing,
  });
  const { identity } = gateway;
  const { headers, secrets } = await createCredentials(gateway);
  expect(new Set(await sendAll(gateway, headers))).toEqual(new Set([200, 401, 403, 404, 405, 500]));
  await link.close();
  expect(new Set(await sendAll(gateway, headers))).toContain(503);
  await link.open();
  await until(async () => (await send(gateway, '/ready')).status === 200);
  const metrics = await gateway.metrics();
  const audit = JSON.stringify(await identity.audit());
  const keys = (await identity.redis.keys(`${gateway.prefix}:*`)).filter((key) => !key.includes(':key-hash:'));
  expect(audit).toContain('token.refused');
  await gateway.close();
  expect(gateway.logs.some(({ level }) => level === 'error')).toBe(true);
  expect(collector.spans.length).toBeGreaterThan(100);
  expect(findSecret(JSON.stringify(gateway.logs), secrets)).toBeUndefined();
  expect(findSecret(JSON.stringify(collector.spans), secrets)).toBeUndefined();
  expect(findSecret(metrics, secrets)).toBeUndefined();
  expect(findSecret(audit, secrets)).toBeUndefined();
  expect(findSecret(keys.join(), secrets)).toBeUndefined();
  expect(JSON.stringify(gateway.logs)).toContain('/password-resets/{code}');
});

test('no log line has a reset code while the document of identity is unknown or the service is unavailable', async () => {
  const collector = await startCollector();
  const gateway = await startGateway({
    LOG_LEVEL: 'trace',
    ...allServices(await nowhere()),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  expect((await send(gateway, `/password-resets/${CODE}`, { method: 'PUT', body: 'a=b' })).status).toBe(503);
  await sendAll(gateway, []);
  await gateway.close();
  expect(findSecret(JSON.stringify([gateway.logs, collector.spans]), [CODE, PASSWORD])).toBeUndefined();
});
