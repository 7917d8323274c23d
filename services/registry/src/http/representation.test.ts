import { expect, test } from '@jest/globals';
import { toRepresentation } from './representation.ts';

const body = { digest: 'd'.repeat(32), identity: Buffer.from('[]'), gzip: Buffer.from('g'), br: Buffer.from('b') };

test('serves the given bytes themselves, each coding under its own tag', () => {
  const representation = toRepresentation(body);
  for (const coding of ['identity', 'gzip', 'br'] as const) {
    expect(representation[coding].body.buffer).toBe(body[coding].buffer);
    expect(representation[coding].body.equals(body[coding])).toBe(true);
  }
  const tags = [representation.identity.etag, representation.gzip.etag, representation.br.etag];
  expect(tags).toEqual([`"${body.digest}"`, `"${body.digest}-gzip"`, `"${body.digest}-br"`]);
});

test('takes a better br under the same tag', () => {
  const representation = toRepresentation(body);
  const { etag } = representation.br;
  representation.setBest(Buffer.from('better'));
  expect(representation.br).toEqual({ body: Buffer.from('better'), etag });
});
