import { test } from '@jest/globals';
import type { Api } from '../../harness/api.ts';
import { expectAnswer, expectInvalid } from '../expectations.ts';

const KIB = 1024;

/** What each case sends beside a good message, and the fields that the answer must name. */
const CASES: Record<string, [fields: Record<string, unknown>, ...paths: string[]]> = {
  'no message': [{ message: undefined }, 'message'],
  'an empty message': [{ message: '' }, 'message'],
  'a message of 32769 characters': [{ message: 'x'.repeat(32_769) }, 'message'],
  'a message of 32769 emoji': [{ message: '😀'.repeat(32_769) }, 'message'],
  'a message that is a number': [{ message: 5 }, 'message'],
  'a message that is null': [{ message: null }, 'message'],
  'priority 0': [{ priority: 0 }, 'priority'],
  'priority 11': [{ priority: 11 }, 'priority'],
  'priority 1.5': [{ priority: 1.5 }, 'priority'],
  'priority as text': [{ priority: '5' }, 'priority'],
  'timeout_seconds 0': [{ timeout_seconds: 0 }, 'timeout_seconds'],
  'timeout_seconds 86401': [{ timeout_seconds: 86_401 }, 'timeout_seconds'],
  'max_attempts 0': [{ max_attempts: 0 }, 'max_attempts'],
  'max_attempts 11': [{ max_attempts: 11 }, 'max_attempts'],
  'max_attempts as boolean': [{ max_attempts: true }, 'max_attempts'],
  'a retry policy that is a text': [{ retry_policy: 'fixed' }, 'retry_policy'],
  'an unknown strategy': [{ retry_policy: { strategy: 'linear' } }, 'retry_policy.strategy'],
  'delay_seconds -1': [{ retry_policy: { delay_seconds: -1 } }, 'retry_policy.delay_seconds'],
  'delay_seconds 3601': [{ retry_policy: { delay_seconds: 3601 } }, 'retry_policy.delay_seconds'],
  'max_delay_seconds 0': [{ retry_policy: { max_delay_seconds: 0 } }, 'retry_policy.max_delay_seconds'],
  'max_delay_seconds 86401': [{ retry_policy: { max_delay_seconds: 86_401 } }, 'retry_policy.max_delay_seconds'],
  'jitter 1.1': [{ retry_policy: { jitter: 1.1 } }, 'retry_policy.jitter'],
  'jitter -0.1': [{ retry_policy: { jitter: -0.1 } }, 'retry_policy.jitter'],
  'jitter as text': [{ retry_policy: { jitter: '0.5' } }, 'retry_policy.jitter'],
  'an unknown part of the retry policy': [{ retry_policy: { colour: 1 } }, 'retry_policy.colour'],
  'eleven tags': [{ tags: Array(11).fill('x') }, 'tags'],
  'a tag of 129 characters': [{ tags: ['ok', 'x'.repeat(129)] }, 'tags.1'],
  'a tag that is a number': [{ tags: [5] }, 'tags.0'],
  'tags as text': [{ tags: 'x' }, 'tags'],
  'metadata as list': [{ metadata: [] }, 'metadata'],
  'metadata as text': [{ metadata: 'x' }, 'metadata'],
  'metadata over 16 KiB': [{ metadata: { m: 'x'.repeat(16 * KIB) } }, 'metadata'],
  'metadata over 16 KiB of UTF-8': [{ metadata: { m: 'é'.repeat(9 * KIB) } }, 'metadata'],
  'input over 256 KiB': [{ input: 'x'.repeat(256 * KIB) }, 'input'],
  'a start that is no date-time': [{ scheduled_at: 'tomorrow' }, 'scheduled_at'],
  'a start without an offset': [{ scheduled_at: '2099-01-01T00:00:00' }, 'scheduled_at'],
  'a date without a time': [{ expires_at: '2099-01-01' }, 'expires_at'],
  'a day that does not exist': [{ expires_at: '2099-02-30T00:00:00Z' }, 'expires_at'],
  'an end as a number': [{ expires_at: 4_070_908_800 }, 'expires_at'],
  'an end after the last year that UTC can be written in': [{ expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
  'retry_of as a number': [{ retry_of: 5 }, 'retry_of'],
  'fields that only the service sets': [
    { id: 'x', agent_id: 'x', status: 'completed', attempt: 1, result: 1, created_at: 'x' },
    'id',
    'agent_id',
    'status',
    'attempt',
    'result',
    'created_at',
  ],
  'an unknown field': [{ colour: 'red' }, 'colour'],
  'several at once': [
    { message: '', priority: 0, retry_policy: { jitter: 2 } },
    'message',
    'priority',
    'retry_policy.jitter',
  ],
};

/** docs/contract.md "Tasks". */
export function specifyTaskValidation(api: Api): void {
  test.each(Object.entries(CASES))('%s', async (_what, [fields, ...paths]) => {
    const { id } = await api.createAgent();
    const body = { message: 'Good', ...fields };
    expectInvalid(await api.call('POST', `/agents/${id}/tasks`, { body }), ...paths);
    expectAnswer(await api.get(`/agents/${id}/tasks`), 200, []);
  });
}
