import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type AuditEvent, toAuditEvent } from '../../src/audit/audit-event.ts';
import { verifyLog } from '../../src/audit/verify-log.ts';
import { createKey } from '../support/api-keys.ts';
import { appendEntries, loggedIds, readTrail, toLines, untilLogged } from '../support/audit.ts';
import { type LogLine, type StartedService, startService } from '../support/start-service.ts';
import { adminOf } from '../support/users.ts';

const DAY_MS = 86_400_000;

const lockOf = ({ keys }: StartedService) => `${keys.auditLog}-lock`;

/** Makes the service believe that another replica writes the log, until `release`. */
async function holdLock(service: StartedService) {
  const { redis } = service;
  await redis.set(lockOf(service), 'another replica', 'PX', 60_000);
  // It notices when it renews the lock, after a second without entries.
  await sleep(2_500);
  return { release: () => redis.del(lockOf(service)) };
}

const linesOf = (logs: LogLine[]) => logs.filter(({ msg }) => msg === 'audit');

test('writes a line for each entry, with the hash of the one before', async () => {
  const service = await startService();
  const { headers } = await adminOf(service);
  const { id } = await createKey(service, headers);
  const details = { tool: 'Bash', digest: 'sha256:00', decision: 'allow' };
  await appendEntries(service, 1_500, (at) => (at % 3 === 0 ? { details } : {}));
  await untilLogged(service);
  const trail = await readTrail(service);
  expect(trail.slice(-3).map((event) => event.details)).toEqual([details, undefined, undefined]);
  expect(linesOf(service.logs).map(({ audit }) => audit)).toEqual(trail);
  expect(trail.find(({ target }) => target?.id === id)).toMatchObject({ action: 'key.created' });
  const [first, second] = linesOf(service.logs);
  expect(first).toMatchObject({ level: 'info', previous_hash: '0'.repeat(64) });
  expect(second?.previous_hash).toBe(first?.audit_hash);
  expect(await verifyLog(toLines(service.logs))).toMatchObject({ entries: trail.length, repeated: 0, gaps: 0 });
});

test('one replica at a time writes the log; another one continues the chain', async () => {
  const first = await startService();
  await untilLogged(first);
  const second = await startService({ REDIS_PREFIX: first.prefix });
  await appendEntries(first, 300);
  await untilLogged(first);
  expect(linesOf(second.logs)).toEqual([]);
  await first.close();
  await appendEntries(second, 300);
  await untilLogged(second);
  const both = [...first.logs, ...second.logs];
  expect(loggedIds(both)).toEqual((await readTrail(second)).map(({ id }) => id));
  const found = await verifyLog(toLines(both));
  expect(found).toMatchObject({ repeated: 0, gaps: 0 });
  expect(found.broken).toBeUndefined();
});

test('lines that were written when a process was killed are repeated with the same hashes', async () => {
  const first = await startService();
  await untilLogged(first);
  const { redis, keys } = first;
  const [last] = await redis.xrevrange(keys.audit, '+', '-', 'COUNT', 1);
  const isOfLast = (text: string | null) => JSON.parse(text ?? '{}').id === last?.[0];
  const before = String(await until(() => redis.get(keys.auditLog), { holds: isOfLast }));
  await appendEntries(first, 50);
  await untilLogged(first);
  const second = await startService({ REDIS_PREFIX: first.prefix });
  await first.close();
  // As if it had been killed after it wrote the lines, and before it noted that.
  await second.redis.set(keys.auditLog, before);
  await appendEntries(second, 50);
  await untilLogged(second);
  const found = await verifyLog(toLines([...first.logs, ...second.logs]));
  expect(found).toMatchObject({ entries: (await readTrail(second)).length, repeated: 50 });
  expect(found.broken).toBeUndefined();
});

test('keeps the last entries only, and logs all before it removes them', async () => {
  const service = await startService({ AUDIT_RETENTION_COUNT: '100' });
  const { redis, keys } = service;
  const added = new Set((await readTrail(service)).map(({ id }) => id));
  for (let round = 0; round < 6; round++) {
    await appendEntries(service, 1_000, (at) => ({ request_id: `r-${round * 1_000 + at}` }));
  }
  await untilLogged(service);
  await until(async () => (await redis.xlen(keys.audit)) === 100, { message: 'old entries are removed' });
  const requests = linesOf(service.logs).map(({ audit }) => (audit as AuditEvent).request_id);
  expect(requests.filter((id) => id?.startsWith('r-'))).toEqual(Array.from({ length: 6_000 }, (_, at) => `r-${at}`));
  expect((await readTrail(service)).map(({ request_id }) => request_id)).toEqual(
    Array.from({ length: 100 }, (_, at) => `r-${5_900 + at}`),
  );
  expect(await verifyLog(toLines(service.logs))).toMatchObject({ entries: 6_000 + added.size, gaps: 0 });
});

test('removes entries after the days of AUDIT_RETENTION_DAYS', async () => {
  const first = await startService();
  await first.close();
  const prefix = `${first.prefix}x`;
  const old = Date.now() - 7 * DAY_MS;
  const empty = await startService({ REDIS_PREFIX: prefix, ADMIN_EMAIL: '', ADMIN_PASSWORD: '' });
  await empty.redis.del(empty.keys.audit, empty.keys.auditLog);
  await appendEntries(empty, 300, undefined, (at) => `${old - 60_000 + at}-0`);
  await appendEntries(empty, 10, undefined, (at) => `${old + 3_600_000 + at}-0`);
  await empty.close();
  const service = await startService({ REDIS_PREFIX: prefix, AUDIT_RETENTION_DAYS: '7' });
  await until(async () => (await readTrail(service))[0]?.at === new Date(old + 3_600_000).toISOString());
  expect((await verifyLog(toLines([...empty.logs, ...service.logs]))).broken).toBeUndefined();
  expect(new Set(loggedIds([...empty.logs, ...service.logs])).size).toBeGreaterThanOrEqual(310);
});

test('removes nothing that is not logged yet', async () => {
  const service = await startService({ AUDIT_RETENTION_COUNT: '100' });
  await untilLogged(service);
  const { redis, keys } = service;
  const { release } = await holdLock(service);
  const before = await redis.xlen(keys.audit);
  await appendEntries(service, 500);
  await sleep(2_000);
  expect(await redis.xlen(keys.audit)).toBe(before + 500);
  await release();
  await untilLogged(service);
  await until(async () => (await redis.xlen(keys.audit)) === 100, { message: 'old entries are removed' });
  expect(await verifyLog(toLines(service.logs))).toMatchObject({ entries: before + 500, gaps: 0 });
});

test('reports entries that were lost before they were logged', async () => {
  const service = await startService();
  await untilLogged(service);
  const { redis, keys } = service;
  const last = (await readTrail(service)).at(-1)?.id;
  const { release } = await holdLock(service);
  await appendEntries(service, 20);
  await redis.xtrim(keys.audit, 'MAXLEN', '=', 5);
  const [next] = await readTrail(service);
  await release();
  await untilLogged(service);
  expect(service.logs.filter(({ audit_gap }) => audit_gap)).toMatchObject([
    { level: 'warn', audit_gap: { after: last, next: next?.id } },
  ]);
  const found = await verifyLog(toLines(service.logs));
  expect(found).toMatchObject({ gaps: 1 });
  expect(found.broken).toBeUndefined();
});

test('goes on with entries whose ids are lower than those of a trail that was lost', async () => {
  const service = await startService();
  await untilLogged(service);
  const { redis, keys } = service;
  const last = (await readTrail(service)).at(-1)?.id;
  await redis.del(keys.audit);
  await until(() => service.logs.some(({ audit_gap }) => audit_gap), { message: 'a gap is reported' });
  await appendEntries(service, 10, undefined, (at) => `${1_700_000_000_000 + at}-0`);
  const entries = await redis.xrange(keys.audit, '-', '+');
  const expected = entries.map(toAuditEvent).map(({ id }) => id);
  await until(() => loggedIds(service.logs).slice(-10).join() === expected.join(), { message: 'all are logged' });
  expect(service.logs.filter(({ audit_gap }) => audit_gap)).toMatchObject([{ audit_gap: { after: last, next: null } }]);
  expect((await verifyLog(toLines(service.logs))).broken).toBeUndefined();
});
