import { expect, test } from '@jest/globals';
import { checkedLookup, isInternalAddress } from './internal-addresses.ts';

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '0.1.2.3'],
  ...['192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ...['255.255.255.255', '::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'fec0::1', 'ff02::1', '100::1', '5f00::1'],
  ...['::ffff:10.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ...['64:ff9b::169.254.169.254', '2002:7f00:1::1', '2002:a9fe:a9fe::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ...['2001:db8::1', '3fff::1', '4000::1'],
])('%s is an internal address', (address) => expect(isInternalAddress(address)).toBe(true));

test.each([
  ...['93.184.216.34', '172.32.0.1', '100.128.0.1', '198.20.0.1', '2606:4700::1111', '2001:4860:4860::8888'],
  ...['::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1', 'localhost', ''],
])('%s is not an internal address', (address) => expect(isInternalAddress(address)).toBe(false));

const lookUp = (refuse: boolean, all: boolean) =>
  new Promise<unknown>((resolve) => {
    const refusal = (found: string[]) => (refuse ? new Error(`refused ${found.length > 0}`) : undefined);
    checkedLookup(refusal)('localhost', { all }, (error, found) => resolve(error ?? found));
  });

test('a guarded lookup refuses internal addresses before a connection, and returns others in either form', async () => {
  expect(await lookUp(true, true)).toEqual(new Error('refused true'));
  expect(await lookUp(false, false)).toMatch(/^(127\.0\.0\.1|::1)$/);
  expect(await lookUp(false, true)).toContainEqual(expect.objectContaining({ address: expect.any(String) }));
});
