import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRedactor } from '../../src/redaction.ts';

const SECRET = 'sk-a+b/c=d?"e';
const redactor = createRedactor([SECRET, 'line-one-x\nline-two-y', 'short', '']);

describe('a secret', () => {
  test.each([
    ['plain', SECRET],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['a line of a longer one', 'line-two-y'],
  ])('is replaced: %s', (_title, form) => {
    expect(redactor.text(`before ${form} after`)).toBe('before [redacted] after');
  });

  test.each([0, 1, 2])('is replaced in Base64 at offset %i', (offset) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.from(`${'x'.repeat(offset)}${SECRET}${'y'.repeat(5)}`).toString(encoding);
      expect(redactor.text(text)).toMatch(/^.{0,4}\[redacted\].{6,10}$/);
    }
  });

  test('is replaced in all strings of a value', () => {
    const value = { [`a ${SECRET}`]: [1, null, { deep: `x${SECRET}` }] };
    expect(redactor.json(value)).toEqual({ 'a [redacted]': [1, null, { deep: 'x[redacted]' }] });
  });

  test('is replaced in a text in any pieces, which is otherwise the same', () => {
    const parts = fc.array(fc.constantFrom(SECRET, 'sk-a+', 'line-one-x', 'text ', 'e'), { maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.array(fc.nat(12), { minLength: 1, maxLength: 20 }), (texts, lengths) => {
        const whole = texts.join('');
        const stream = redactor.stream();
        let [rest, out] = [whole, ''];
        for (let i = 0; rest !== ''; i++) {
          const length = lengths[i % lengths.length] || 1;
          out += stream.add(rest.slice(0, length));
          rest = rest.slice(length);
        }
        expect(out + stream.end()).toBe(redactor.text(whole));
      }),
    );
  });
});

test('short values and no secrets at all change nothing', () => {
  expect(redactor.text('a short text')).toBe('a short text');
  const none = createRedactor([]).stream();
  expect(none.add('at once')).toBe('at once');
});
