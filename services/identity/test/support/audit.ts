import { type AuditEntry, toAuditFields } from '@agent-fleet/access/audit';
import { until } from '@agent-fleet/shared/testing/until';
import { type AuditEvent, toAuditEvent } from '../../src/audit/audit-event.ts';
import type { LogLine, StartedService } from './start-service.ts';

type Store = Pick<StartedService, 'redis' | 'keys'>;

const ENTRY: AuditEntry = {
  actor: { type: 'user', id: 'u1', name: 'ada@example.com' },
  action: 'agent.deleted',
  target: { type: 'agent', id: 'a1' },
  outcome: 'success',
  address: '192.0.2.7',
  request_id: 'r1',
};

/** Appends entries, as gateways do. `id` of the stream: by Redis, unless given. */
export async function appendEntries(
  { redis, keys }: Store,
  count: number,
  toEntry: (at: number) => Partial<AuditEntry> = () => ({}),
  toId: (at: number) => string = () => '*',
): Promise<void> {
  const pipeline = redis.pipeline();
  for (let at = 0; at < count; at++) {
    pipeline.xadd(keys.audit, toId(at), ...toAuditFields({ ...ENTRY, ...toEntry(at) }));
  }
  const failed = (await pipeline.exec())?.find(([error]) => error);
  if (failed) throw failed[0];
}

/** Everything that is kept. */
export async function readTrail({ redis, keys }: Store): Promise<AuditEvent[]> {
  return (await redis.xrange(keys.audit, '-', '+')).map(toAuditEvent);
}

/** The ids of the entries in a log, in order. */
export function loggedIds(logs: LogLine[]): string[] {
  return logs.filter(({ msg }) => msg === 'audit').map(({ audit }) => (audit as AuditEvent).id);
}

/** Waits until a log has all entries that are kept. */
export async function untilLogged({ redis, keys, logs }: StartedService): Promise<void> {
  const [last] = await readLast({ redis, keys });
  await until(() => last === undefined || loggedIds(logs).includes(last.id), { message: 'all entries are logged' });
}

async function readLast({ redis, keys }: Store): Promise<AuditEvent[]> {
  return (await redis.xrevrange(keys.audit, '+', '-', 'COUNT', 1)).map(toAuditEvent);
}

/** The text of a log, for `verifyLog`. */
export function toLines(logs: LogLine[]): string[] {
  return logs.map((line) => JSON.stringify(line));
}
