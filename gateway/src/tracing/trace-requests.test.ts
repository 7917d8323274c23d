import { expect, test } from '@jest/globals';
import { createTraceparent } from './trace-requests.ts';

test('creates different traceparents', () => {
  const created = Array.from({ length: 300 }, createTraceparent);
  expect(new Set(created).size).toBe(300);
  for (const one of created) expect(one).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});
