import { expect, test } from '@jest/globals';
import { findSchemaProblem } from './output-schema.ts';

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const KIB = 1024;

/** A schema nested `levels` deep. */
function nest(levels: number, key = 'not'): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { [key]: schema };
  return schema;
}

const GOOD: Record<string, Record<string, unknown>> = {
  'an empty schema': {},
  'draft 2020-12': { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] },
  'draft 7': { $schema: DRAFT_7, items: [{ type: 'string' }], definitions: { a: true } },
  'references within the schema': {
    $defs: { a: { $anchor: 'a', type: 'object', properties: { next: { $ref: '#a' } } } },
    $ref: '#/$defs/a',
    $dynamicRef: '#a',
  },
  'names of properties that are keywords': {
    properties: { $ref: { type: 'string' }, type: { enum: ['a'] }, default: { type: ['string', 'null'] } },
  },
  'data that looks like a schema': {
    const: { $ref: 'http://x.example', type: Array(20).fill('x') },
    examples: [{ $ref: 'http://x.example' }],
  },
  'a property named __proto__': JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
  'classes of properties in patterns': { pattern: '^[\\p{L}\\P{sc=Greek}-]\\p{Nd}+\\\\p{1}$' },
  'unknown keywords and formats': { 'x-order': ['a'], format: 'colour' },
  '60 levels': nest(60),
};

test.each(Object.entries(GOOD))('takes %s', (_what, schema) => {
  expect(findSchemaProblem(schema)).toBeUndefined();
});

const BAD: Record<string, [schema: Record<string, unknown>, path: string]> = {
  'an unknown type': [{ properties: { 'a/b': { type: 'text' } } }, 'properties.a/b.type'],
  'a list of schemas as properties': [{ properties: [] }, 'properties'],
  'items as a list in draft 2020-12': [{ items: [{}] }, 'items'],
  'a pattern that is none': [{ pattern: '(' }, 'pattern'],
  'a class of a property that is unknown': [{ pattern: '\\p{Klingon}' }, 'pattern'],
  'a range from a class of a property': [{ pattern: '[\\p{L}-z]' }, 'pattern'],
  'a pattern of 1,025 characters': [{ pattern: 'a'.repeat(1_025) }, 'pattern'],
  'a name of a property that is no pattern': [{ patternProperties: { '[': {} } }, 'patternProperties.['],
  'another draft': [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema'],
  'a $schema that is no text': [{ $schema: {} }, '$schema'],
  'a schema that names itself by __proto__': [
    JSON.parse('{"properties":{"__proto__":{"type":"text"}}}'),
    'properties.__proto__.type',
  ],
  'a reference to the network': [{ $ref: 'http://169.254.169.254/' }, '$ref'],
  'a reference to a file': [{ items: { $ref: 'file:///etc/passwd' } }, 'items.$ref'],
  'a relative reference': [{ $defs: { a: { $dynamicRef: 'other.json#a' } } }, '$defs.a.$dynamicRef'],
  'a reference in draft 7': [{ $schema: DRAFT_7, definitions: { a: { $ref: 'a.json' } } }, 'definitions.a.$ref'],
  'a reference in a dependency named const': [
    { $schema: DRAFT_7, dependencies: { const: { $ref: 'http://x.example' } } },
    'dependencies.const.$ref',
  ],
  'a reference beside a property of that name': [
    { properties: { $ref: { $ref: 'http://x.example' } } },
    'properties.$ref.$ref',
  ],
  'a reference in a property named const': [{ properties: { const: { $ref: 'a' } } }, 'properties.const.$ref'],
  'more types than there are': [{ type: Array(8).fill('string') }, 'type'],
  '200 levels': [nest(200), ''],
  '200 levels of properties': [nest(200, 'properties'), ''],
  '200 levels of a keyword that is unknown': [nest(200, 'x'), ''],
};

test.each(Object.entries(BAD))('refuses %s', (_what, [schema, path]) => {
  expect(findSchemaProblem(schema)?.path.join('.')).toBe(path);
});

test('checks the worst schemas of 64 KiB within 50 ms', () => {
  const distinct = (length: number) => Array.from({ length }, (_, at) => at.toString(36));
  const pattern = `^(${'a+'.repeat(15 * KIB)})+$`;
  const properties = '\\p{L}[^\\P{Lu}]'.repeat(70);
  const descending = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0xffff - 2 * at));
  const classes = (length: number) =>
    distinct(Math.floor(20_000 / length)).map(
      (_, at) => `[${descending.slice(at * length, (at + 1) * length).join('')}]`,
    );
  const schemas: Record<string, unknown>[] = [
    { required: distinct(10_000) },
    { type: distinct(10_000) },
    { anyOf: distinct(4_000).map((type) => ({ type: [type] })) },
    { enum: distinct(10_000) },
    { $schema: DRAFT_7, enum: distinct(10_000) },
    { anyOf: Array(1_500).fill({ type: ['string', 'null', 'boolean', 'array', 'number', 'object', 'integer'] }) },
    { dependentRequired: { a: distinct(10_000) } },
    { properties: Object.fromEntries(distinct(5_000).map((name) => [name, {}])) },
    { pattern },
    { patternProperties: { [pattern]: true } },
    { allOf: Array(60).fill({ pattern: properties }) },
    { pattern: classes(20_000)[0] },
    { allOf: classes(1_000).map((list) => ({ pattern: list })) },
    { pattern: '('.repeat(60 * KIB) },
    { pattern: `${'('.repeat(30 * KIB)}${')'.repeat(30 * KIB)}` },
  ];
  for (const schema of schemas) {
    // The time of the processor, and the fastest of some: other processes of a busy machine take time too.
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      findSchemaProblem(schema);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    });
    expect([Math.min(...times) < 50, Object.keys(schema)]).toEqual([true, Object.keys(schema)]);
  }
});
