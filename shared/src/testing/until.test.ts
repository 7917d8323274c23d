import { expect, test } from '@jest/globals';
import { until } from './until.ts';

test('continues after a throw', async () => {
  let count = 0;
  const read = () => {
    count += 1;
    if (count < 3) throw new Error('too early');
    return count;
  };
  expect(await until(read, { pollMs: 1 })).toBe(3);
});

test('rejects with the message, the last value and the last error after the timeout', async () => {
  const options = { timeoutMs: 20, pollMs: 1 };
  await expect(until(() => false, options)).rejects.toThrow(/^Not within 0.02 s$/);
  await expect(until(() => false, { ...options, message: 'the agent is online' })).rejects.toThrow(
    'Not within 0.02 s: the agent is online',
  );
  await expect(until(() => false, { ...options, message: async () => 'state: offline' })).rejects.toThrow('offline');
  await expect(until(() => 2, { ...options, holds: (value) => value > 2 })).rejects.toThrow('the last value was 2');
  const cause = new Error('refused');
  await expect(until(() => Promise.reject(cause), options)).rejects.toMatchObject({ cause });
});
