import { join } from 'node:path';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { AuditEvent } from '../../src/audit/audit-event.ts';
import { verifyLog } from '../../src/audit/verify-log.ts';
import { appendEntries, readTrail } from '../support/audit.ts';
import { ADMIN, INTERNAL_TOKEN, JWT_SECRET } from '../support/start-service.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

let server: TestRedis;
let redis: Redis;
const children: Child[] = [];
const keys = createIdentityKeys('fleet');
beforeAll(async () => {
  server = await startTestRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await Promise.all(children.map((child) => child.kill()));
  await server.close();
});

function startReplica(): Child {
  const env = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    REDIS_URL: server.url,
    INTERNAL_TOKEN,
    JWT_SECRET,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  };
  const child = startChild(process.execPath, [MAIN], { env });
  children.push(child);
  return child;
}

const linesOf = (child: Child) => child.written.stdout.split('\n');

/** The ids of the entries in the log of a replica. */
function loggedIds(child: Child): string[] {
  return linesOf(child).flatMap((text) => {
    try {
      return (JSON.parse(text).audit as AuditEvent | undefined)?.id ?? [];
    } catch {
      return [];
    }
  });
}

test('a replica that is killed, and a Redis that restarts, leave no entry out of the log', async () => {
  const first = startReplica();
  await until(() => loggedIds(first).length > 0, { message: 'the first replica writes the log' });
  const second = startReplica();
  const appending = (async () => {
    for (let round = 0; round < 40; round++) await appendEntries({ redis, keys }, 250);
  })();
  await until(() => loggedIds(first).length > 1_000);
  await first.kill();
  await appending;
  const isWhole = async () => {
    const logged = new Set([...loggedIds(first), ...loggedIds(second)]);
    return (await readTrail({ redis, keys })).every(({ id }) => logged.has(id));
  };
  await until(isWhole, { pollMs: 200, message: 'the second replica continues the log' });
  await server.stop();
  await server.restart();
  await until(async () => (await redis.ping()) === 'PONG');
  await appendEntries({ redis, keys }, 500);
  await until(isWhole, { pollMs: 200, message: 'the log continues after a restart of Redis' });
  const found = await verifyLog([...linesOf(first), ...linesOf(second)]);
  expect(found).toMatchObject({ entries: (await readTrail({ redis, keys })).length, gaps: 0 });
  expect(found.broken).toBeUndefined();
  expect(found.repeated).toBeLessThanOrEqual(200);
});
