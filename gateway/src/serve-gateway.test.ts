import { expect, test } from '@jest/globals';
import { parseTrustedProxies } from './client-address.ts';
import { toConnectionLimit } from './serve-gateway.ts';

const config = { maxConnectionsPerAddress: 7, trustedProxies: parseTrustedProxies('10.0.0.0/8,2001:db8:1::/48') };

test('counts by IPv4 address and by IPv6 network, however a socket writes them', () => {
  const limit = toConnectionLimit(config);
  expect(limit?.maxPerClient).toBe(7);
  expect(limit?.clientOf('192.0.2.1')).toBe('192.0.2.1');
  expect(limit?.clientOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(limit?.clientOf('2001:db8:2::1')).toBe(limit?.clientOf('2001:db8:2::2'));
});

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::9'])(
  'does not limit %s, which is local or a trusted proxy',
  (address) => {
    expect(toConnectionLimit(config)?.clientOf(address)).toBeUndefined();
  },
);

test('limits nothing when MAX_CONNECTIONS_PER_ADDRESS is 0', () => {
  expect(toConnectionLimit({ ...config, maxConnectionsPerAddress: 0 })).toBeUndefined();
});
