import { test } from '@jest/globals';
import type { Api } from '../../harness/api.ts';
import { expectInvalid, expectResponse } from '../expectations.ts';

const KIB = 1024;
const NUMBERS = ['priority', 'timeout_seconds', 'max_attempts'];
const DELAYS = ['delay_seconds', 'max_delay_seconds', 'jitter'];

/** What each case sends in addition to a good message, and the fields that the response must name. */
const CASES: Record<string, [fields: Record<string, unknown>, ...paths: string[]]> = {
  'no message': [{ message: undefined }, 'message'],
  'empty and null values': [{ message: '', tags: ['ok', ''], priority: null }, 'message', 'tags.1', 'priority'],
  'a message of 32769 characters': [{ message: 'x'.repeat(32_769) }, 'message'],
  'a message of 32769 emoji': [{ message: '😀'.repeat(32_769) }, 'message'],
  'numbers below their bounds': [{ priority: 0, timeout_seconds: 0, max_attempts: 0 }, ...NUMBERS],
  'numbers above their bounds': [{ priority: 11, timeout_seconds: 86_401, max_attempts: 11 }, ...NUMBERS],
  'numbers of another type': [{ priority: '5', timeout_seconds: 1.5, max_attempts: true }, ...NUMBERS],
  'fields of another type': [
    { message: 5, retry_policy: 'fixed', tags: 'x', metadata: 'x', retry_of: 5, expires_at: 4_070_908_800 },
    ...['message', 'retry_policy', 'tags', 'metadata', 'retry_of', 'expires_at'],
  ],
  'a retry policy below its bounds': [
    { retry_policy: { strategy: 'linear', delay_seconds: -1, max_delay_seconds: 0, jitter: -0.1 } },
    ...['strategy', ...DELAYS].map((name) => `retry_policy.${name}`),
  ],
  'a retry policy above its bounds': [
    { retry_policy: { delay_seconds: 3601, max_delay_seconds: 86_401, jitter: 1.1, colour: 1 } },
    ...[...DELAYS, 'colour'].map((name) => `retry_policy.${name}`),
  ],
  'jitter as text': [{ retry_policy: { jitter: '0.5' } }, 'retry_policy.jitter'],
  'eleven tags': [{ tags: Array(11).fill('x') }, 'tags'],
  'tags of 129 characters and of another type': [{ tags: ['ok', 'x'.repeat(129), 5] }, 'tags.1', 'tags.2'],
  'metadata as list': [{ metadata: [] }, 'metadata'],
  'metadata over 16 KiB': [{ metadata: { m: 'x'.repeat(16 * KIB) } }, 'metadata'],
  'metadata over 16 KiB of UTF-8': [{ metadata: { m: 'é'.repeat(9 * KIB) } }, 'metadata'],
  'input over 256 KiB': [{ input: 'x'.repeat(256 * KIB) }, 'input'],
  'times that are not date-times': [
    { scheduled_at: 'tomorrow', expires_at: '2099-01-01' },
    'scheduled_at',
    'expires_at',
  ],
  'times without an offset or a real day': [
    { scheduled_at: '2099-01-01T00:00:00', expires_at: '2099-02-30T00:00:00Z' },
    ...['scheduled_at', 'expires_at'],
  ],
  'an end after the last year that UTC can be written in': [{ expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
  'an unknown field beside bad ones': [
    { colour: 'red', message: '', retry_policy: { jitter: 2 } },
    ...['colour', 'message', 'retry_policy.jitter'],
  ],
};

/** docs/contract.md "Tasks". */
export function specifyTaskValidation(api: Api): void {
  test.each(Object.entries(CASES))('%s', async (_what, [fields, ...paths]) => {
    const { id } = await api.createAgent();
    const body = { message: 'Good', ...fields };
    expectInvalid(await api.call('POST', `/agents/${id}/tasks`, { body }), ...paths);
    expectResponse(await api.get(`/agents/${id}/tasks`), 200, []);
  });
}
