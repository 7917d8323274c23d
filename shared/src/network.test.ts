import { expect, test } from '@jest/globals';
import { toNetwork } from './network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8::/64'],
  ['::1', '::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['unknown', 'unknown'],
])('the address %s belongs to the network %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
