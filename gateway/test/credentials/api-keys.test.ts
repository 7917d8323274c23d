import { createApiKeyText } from '@agent-fleet/access/api-key-text';
import { beforeAll, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { send, statusOf, withApiKey } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;

beforeAll(async () => {
  gateway = await startWithServices({ RATE_LIMIT_PER_MINUTE: '1000', AUTH_LIMIT_PER_MINUTE: '1000' });
  ({ identity } = gateway);
});

const REFUSED = { status: 403, body: { detail: 'Invalid API key' } };
const check = (key: string) => send(gateway, '/agents', { headers: withApiKey(key) });
const misses = async () => /gateway_credential_cache_total\{result="miss"\} (\d+)/.exec(await gateway.metrics())?.[1];

test('a key with a wrong checksum, or of another form, is refused without a look-up', async () => {
  const { text } = await identity.addApiKey();
  const typo = text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const before = await misses();
  for (const key of [typo, text.slice(0, -1), `${text}0`, text.toUpperCase(), `${text}, ${text}`, 'afk_', 'x']) {
    expect(await check(key)).toMatchObject(REFUSED);
  }
  expect(await misses()).toBe(before);
  expect(await check(createApiKeyText())).toMatchObject(REFUSED);
  expect(await misses()).not.toBe(before);
});

test('a key that a key of the environment made has at most its role, and ends without it', async () => {
  const of = async (owner: string) => {
    const { text } = await identity.addApiKey({ owner });
    return statusOf(gateway, withApiKey(text));
  };
  expect([await of('key:ci'), await of('key:gone')]).toEqual([200, 403]);
});

test('the rate limit of a key lowers that of all principals, and does not raise it', async () => {
  const policyOf = async (rate_limit_per_minute: number | null) => {
    const { text } = await identity.addApiKey({ rate_limit_per_minute });
    return (await check(text)).headers.get('ratelimit-policy');
  };
  expect(await policyOf(null)).toBe('"principal";q=1000;w=60');
  expect(await policyOf(7)).toBe('"principal";q=7;w=60');
  expect(await policyOf(1_000)).toBe('"principal";q=1000;w=60');
  expect(await policyOf(5_000)).toBe('"principal";q=1000;w=60');
});
