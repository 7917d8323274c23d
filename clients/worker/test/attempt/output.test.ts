import { exactJson } from '@agent-fleet/sdk/exact-json';
import { describe, expect, test } from '@jest/globals';
import { outputOf } from '../../src/attempt/result.ts';

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
const FENCE = '```';

describe('the output', () => {
  test.each<[string, string, unknown, unknown]>([
    ['is what the runtime returned', 'text', { n: 1 }, { n: 1 }],
    ['is the whole text', ' {"n":2}\n', undefined, { n: 2 }],
    [
      'is the last block that is JSON',
      `a\n${FENCE}json\n{"n":1}\n${FENCE}\n${FENCE}\n{"n":3}\n${FENCE}\nend\n${FENCE}\nno\n${FENCE}`,
      undefined,
      { n: 3 },
    ],
  ])('%s', (_title, text, returned, expected) => {
    expect(outputOf(text, returned, SCHEMA)).toEqual(expected);
  });

  test('keeps numbers as they are written, also by a schema', () => {
    const output = outputOf('{"n":98765432109876543210,"x":3.0}', undefined, SCHEMA);
    expect(exactJson.stringify(output)).toBe('{"n":98765432109876543210,"x":3.0}');
  });

  test.each<[string, string, Record<string, unknown>, object]>([
    [
      'says what is wrong',
      '{"n":"x"}',
      SCHEMA,
      { message: expect.stringContaining('/n must be integer'), retryable: true },
    ],
    ['may be missing', 'no JSON', SCHEMA, { message: 'The agent returned no JSON', retryable: true }],
    ['is checked for formats', '"x"', { type: 'string', format: 'date-time' }, { retryable: true }],
    [
      'is checked by draft-07',
      '[1]',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
      { retryable: true },
    ],
    [
      'is checked by draft 2020-12',
      '[1]',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] },
      { retryable: true },
    ],
    ['fails for good with a schema that is none', '1', { type: 7 }, { retryable: false }],
    ['fails for good with a schema of elsewhere', '1', { $ref: 'https://example.com/schema' }, { retryable: false }],
  ])('%s', (_title, text, schema, error) => {
    expect(() => outputOf(text, undefined, schema)).toThrow(
      expect.objectContaining({ code: 'output_invalid', ...error }),
    );
  });

  test('is checked whatever the schema says to Ajv', () => {
    const schema = { $async: true, type: 'string' };
    expect(() => outputOf('{}', undefined, schema)).toThrow(expect.objectContaining({ code: 'output_invalid' }));
  });

  test('is looked for in no time among fences that are not closed', () => {
    const began = process.cpuUsage().user;
    expect(() => outputOf(`${FENCE}a\n`.repeat(200_000), undefined, SCHEMA)).toThrow('no JSON');
    expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(2_000);
    expect(outputOf(`\`${FENCE}\n${FENCE}json\n{"n":4}\n${FENCE}\n`, undefined, SCHEMA)).toEqual({ n: 4 });
  });

  test('is given up when a pattern takes exponential time', () => {
    const text = JSON.stringify(`${'a'.repeat(40)}b`);
    const late = { message: expect.stringContaining('more than 2 s'), retryable: false };
    expect(() => outputOf(text, undefined, { pattern: '^(a+)+$' })).toThrow(expect.objectContaining(late));
  });
});
