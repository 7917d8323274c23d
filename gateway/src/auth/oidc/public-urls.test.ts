import { describe, expect, test } from '@jest/globals';
import { lookupPublic, parsePublicUrl } from './public-urls.ts';

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

test('a lookup refuses a name with a private address', async () => {
  const { promise, reject } = Promise.withResolvers();
  lookupPublic('localhost', {}, reject);
  await expect(promise).rejects.toThrow(/^localhost has the private address (127\.0\.0\.1|::1)$/);
});
