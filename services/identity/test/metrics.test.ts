import { metricIn } from '@agent-fleet/shared/testing/metrics';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';
import { createUser, requestTokens } from './support/users.ts';

const service = await startService({ SIGN_IN_FAILURES_PER_ACCOUNT: '1' });

test('the metrics count sign-ins by outcome and show the audit trail', async () => {
  const read = async (name: string) => metricIn(await service.metrics(), name);
  const account = await createUser(service);
  for (const status of [401, 429]) await requestTokens(service, { ...account, password: 'wrong' }).expect(status);
  const other = await createUser(service);
  for (let count = 0; count < 2; count++) await requestTokens(service, other).expect(200);
  for (const [outcome, count] of Object.entries({ success: 2, failure: 1, limited: 1 })) {
    expect(await read(`identity_sign_ins_total{outcome="${outcome}"}`)).toBe(count);
  }
  expect(await read('identity_password_hashes{state="running"}')).toBe(0);
  const entries = await service.redis.xlen(service.keys.audit);
  expect(entries).toBeGreaterThan(3);
  expect(await read('identity_audit_entries')).toBe(entries);
  await until(async () => (await read('identity_audit_log_lag_seconds')) === 0);
});
