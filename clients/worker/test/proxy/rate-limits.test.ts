import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { retryAt } from '../../src/proxy/rate-limits.ts';
import { bodyOf, openProxy } from '../support/model-proxy.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const HOUR = 3_600_000;

test.each<[string, number, Record<string, string>, string, number | undefined]>([
  ['nothing', 429, {}, '', undefined],
  ['seconds', 429, { 'retry-after': '3600' }, '', HOUR],
  ['a date', 503, { 'retry-after': 'Mon, 30 Nov 2026 13:00:00 GMT' }, '', HOUR],
  [
    "a limit of Anthropic's of which nothing remains",
    429,
    { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-11-30T13:00:00Z' },
    '',
    HOUR,
  ],
  [
    'a limit of which something remains',
    429,
    { 'anthropic-ratelimit-tokens-remaining': '9', 'anthropic-ratelimit-tokens-reset': '2026-11-30T13:00:00Z' },
    '',
    undefined,
  ],
  [
    "a duration of OpenAI's",
    429,
    { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1h0m0s' },
    '',
    HOUR,
  ],
  ['the end of a plan', 429, {}, '{"error":{"type":"usage_limit_reached","resets_at":1796047200}}', 2 * HOUR],
  ["a quota of Google's", 429, {}, '{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3600s"}', HOUR],
  ['a day', 400, {}, 'You have reached your limits. You will regain access on 2026-12-01 at 00:00 UTC.', 12 * HOUR],
])('reads when calls are taken again: %s', (_title, status, headers, body, expected) => {
  const found = retryAt(status, headers, body, NOW);
  expect(found === undefined ? undefined : found - NOW).toBe(expected);
});

test('goes on with the next key while the provider refuses one, and pauses when it refuses all', async () => {
  const keys = ['sk-one-0123456789', 'sk-two-0123456789'];
  const reply = ({ key }: ModelRequest): Reply =>
    key === keys[1] && !isOver ? { text: 'two' } : { status: 429, retryAfterSeconds: 3600 };
  let isOver = false;
  const model = await startModelServer({ reply });
  own(model.close);
  const upstreams = { anthropic: keys.map((key) => ({ baseUrl: model.url, key })) };
  const proxy = await openProxy(model.url, { upstreams });
  const post = () => proxy.post('/v1/messages', bodyOf(false));
  expect((await post()).status).toBe(200);
  expect((await post()).status).toBe(200);
  expect(model.requests).toHaveLength(3);
  expect([proxy.limited, proxy.proxy.pauses()]).toEqual([[], []]);
  isOver = true;
  const refused = await post();
  expect([refused.status, refused.headers.get('x-should-retry'), refused.headers.get('retry-after')]).toEqual([
    429,
    'false',
    null,
  ]);
  const [until] = proxy.limited;
  expect(Number(until) - Date.now()).toBeGreaterThan(HOUR - 60_000);
  expect(proxy.proxy.limitedUntil('anthropic')).toBe(until);
  expect(proxy.proxy.pauses()).toEqual([
    { provider: 'anthropic', until: new Date(Number(until)).toISOString(), reason: 'rate limit' },
  ]);
});
