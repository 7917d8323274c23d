import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, test } from '@jest/globals';
import { isPublicAddress, lookupPublic, parsePublicUrl } from './public-urls.ts';

describe('an address that is not public', () => {
  test.each([
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '0.1.2.3'],
    ...['192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'fec0::1', 'ff02::1', '100::1'],
    ...['::ffff:10.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ...['2002:7f00:1::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:db8::1', '3fff::1', '5f00::1', '4000::1'],
    ...['localhost', ''],
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a public address', () => {
  test.each([
    ...['93.184.216.34', '172.32.0.1', '100.128.0.1', '198.20.0.1'],
    ...['2606:4700::1111', '2001:4860:4860::8888', '::ffff:8.8.8.8', '64:ff9b::808:808'],
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('a URL', () => {
  test.each([
    ['http://a.example', 'must be an https:// URL'],
    ['ftp://a.example', 'must be an https:// URL'],
    ['a.example', 'must be an https:// URL'],
    ['https://u:p@a.example', 'credentials'],
    ['https://a.example/#x', 'fragment'],
    ['https://10.0.0.1/x', 'private address 10.0.0.1'],
    ['https://0x7f.1', 'private address 127.0.0.1'],
    ['https://2130706433', 'private address 127.0.0.1'],
    ['https://[::ffff:127.0.0.1]:8443', 'private address ::ffff:7f00:1'],
  ])('like %s is refused', (url, problem) => {
    expect(() => parsePublicUrl(url, { allowInsecure: false })).toThrow(problem);
  });

  test.each(['https://a.example', 'https://a.example:8443/x?y', 'https://8.8.8.8', 'https://[2606:4700::1111]/'])(
    'like %s is accepted',
    (url) => expect(parsePublicUrl(url, { allowInsecure: false }).href).toContain(url),
  );

  test('may be http or private with permission', () => {
    expect(parsePublicUrl('http://127.0.0.1:8080/x', { allowInsecure: true }).port).toBe('8080');
    expect(() => parsePublicUrl('ftp://127.0.0.1', { allowInsecure: true })).toThrow(
      'must be an http:// or https:// URL',
    );
  });
});

describe('a lookup', () => {
  const lookUp = (name: string, options: LookupOptions) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      lookupPublic(name, options, (error, found) => (error ? reject(error) : resolve(found)));
    });

  test.each([true, false])('refuses a name with a private address (all: %s)', async (all) => {
    await expect(lookUp('localhost', { all })).rejects.toThrow(
      /^localhost has the private address (127\.0\.0\.1|::1)$/,
    );
  });

  test('returns public addresses in both forms', async () => {
    expect(await lookUp('8.8.8.8', { all: true })).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(await lookUp('8.8.8.8', {})).toBe('8.8.8.8');
  });
});
