import { expect, test } from '@jest/globals';
import { nameBasedUuid } from './name-based-uuid.ts';

// The example of RFC 9562 appendix A.4.
test('a name-based UUID is that of the specification', () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  expect(nameBasedUuid(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});
