import { BlockList, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import {
  clientAddressOf,
  clientHostOf,
  clientProtocolOf,
  parsePublicUrl,
  parseTrustedProxies,
} from './client-address.ts';

function request(remoteAddress: string | undefined, headers: Record<string, string> = {}) {
  return { socket: { remoteAddress } as Socket, headers };
}

const trusted = parseTrustedProxies('10.0.0.0/8, 192.168.7.1 ,fd00::/8');

describe('the address of a client', () => {
  test.each([
    ['the address of the peer', '203.0.113.9', undefined, '203.0.113.9'],
    ['the address of an untrusted peer', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the address that a trusted proxy reports', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['read without blanks', '10.1.2.3', ' 198.51.100.1 ', '198.51.100.1'],
    ['the last address that is not a trusted proxy', '10.1.2.3', '6.6.6.6, 198.51.100.1, 192.168.7.1', '198.51.100.1'],
    ['the first address if all are trusted proxies', '10.1.2.3', '10.9.9.9, 10.8.8.8', '10.9.9.9'],
    ['the last valid address before an invalid one', '10.1.2.3', '6.6.6.6, <script>, 10.8.8.8', '10.8.8.8'],
    ['the address of the peer if the header is invalid', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['the address of the peer if the header is empty', '10.1.2.3', '', '10.1.2.3'],
    ['plain IPv4 for an IPv4-mapped address', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['IPv6 if that is reported', 'fd00::7', '2001:db8::1', '2001:db8::1'],
    ['the address of a peer outside the trusted range', '192.168.7.2', '198.51.100.1', '192.168.7.2'],
  ])('is %s', (_what, peer, forwarded, client) => {
    const headers = forwarded === undefined ? undefined : { 'x-forwarded-for': forwarded };
    expect(clientAddressOf(request(peer, headers), trusted)).toBe(client);
  });

  test('is read from a limited part of a long chain', () => {
    const chain = Array.from({ length: 50 }, (_, n) => `10.0.0.${n}`).join(',');
    const received = request('10.1.2.3', { 'x-forwarded-for': `198.51.100.1,${chain}` });
    expect(clientAddressOf(received, trusted)).toBe('10.0.0.34');
  });

  test('is empty for a closed connection', () => {
    expect(clientAddressOf(request(undefined), trusted)).toBe('');
  });
});

test('the protocol of a client is the one that a trusted proxy reports', () => {
  const secure = { 'x-forwarded-proto': 'https' };
  expect(clientProtocolOf(request('10.1.2.3', secure), trusted)).toBe('https');
  expect(clientProtocolOf(request('203.0.113.9', secure), trusted)).toBeUndefined();
  const several = { 'x-forwarded-proto': 'https, http' };
  expect(clientProtocolOf(request('10.1.2.3', several), trusted)).toBeUndefined();
});

test('the host of a client is the one that a trusted proxy reports', () => {
  const forwarded = { 'x-forwarded-host': 'evil.example, fleet.example:81' };
  expect(clientHostOf(request('10.1.2.3', forwarded), trusted)).toBe('fleet.example:81');
  expect(clientHostOf(request('203.0.113.9', forwarded), trusted)).toBeUndefined();
  expect(clientHostOf(request('10.1.2.3', {}), trusted)).toBeUndefined();
});

test.each([
  ['https://fleet.example', { clientProtocol: 'https', clientHost: 'fleet.example', clientPrefix: '' }],
  ['HTTP://Fleet.example:80/', { clientProtocol: 'http', clientHost: 'fleet.example', clientPrefix: '' }],
  [
    'http://[::1]:8191/ops/fleet-1/',
    { clientProtocol: 'http', clientHost: '[::1]:8191', clientPrefix: '/ops/fleet-1' },
  ],
])('PUBLIC_URL=%s is %j', (text, url) => {
  expect(parsePublicUrl(text)).toEqual(url);
});

test.each([
  ...['', 'fleet.example', '/fleet', 'ftp://fleet.example', 'http://a@fleet.example', 'http://fleet.example/?x=1'],
  ...['http://fleet.example/#x', 'http://fleet.example//x', 'http://fleet.example/a b', 'http://fleet.example/"x'],
])('PUBLIC_URL=%s is refused', (text) => {
  expect(() => parsePublicUrl(text)).toThrow('such as https://example.com/fleet');
});

test('no proxy is trusted by default', () => {
  const received = request('127.0.0.1', { 'x-forwarded-for': '198.51.100.1' });
  expect(clientAddressOf(received, new BlockList())).toBe('127.0.0.1');
});

test.each(['10.0.0.0/33', '10.0.0.0/', 'example.com', '10.0.0/8', '::/129', '1.2.3.4/8/8', '*', '10.0.0.0/-1'])(
  'TRUSTED_PROXIES=%s is refused',
  (list) => {
    expect(() => parseTrustedProxies(list)).toThrow('IP addresses and CIDR ranges');
  },
);
