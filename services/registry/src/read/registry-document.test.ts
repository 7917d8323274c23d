import { isObject } from '@agent-fleet/shared/contract/json-object';
import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import type { RawRecord } from '../normalise/records.ts';
import { UpstreamError } from '../source/errors.ts';
import { ENVELOPES, KIND_LISTS, OTHER_LISTS, SKILL_LISTS } from './lists.ts';
import { readDocument } from './registry-document.ts';

const bytesOf = (text: string) => Buffer.from(text);
const recordsOf = (text: string): RawRecord[] =>
  Array.from(readDocument(bytesOf(text)).entries(), (entry) => entry.read());

function codeOf(bytes: Uint8Array): string {
  try {
    for (const entry of readDocument(bytes).entries()) entry.read();
    return 'read';
  } catch (error) {
    if (error instanceof UpstreamError) return error.code;
    throw error;
  }
}

const record = '{"name":"one","description":"A skill."}';

test.each([
  ['a root array', `[${record}]`, undefined],
  ['skills as an array', `{"skills":[${record}]}`, undefined],
  ['items as an array', `{"items":[${record}]}`, undefined],
  ['skills keyed by slug', `{"skills":{"one":${record}}}`, 'one'],
  ['items keyed by slug', `{"items":{"one":${record}}}`, 'one'],
  ['items where skills is null', `{"skills":null,"items":[${record}]}`, undefined],
  ['items where skills is a number', `{"skills":1,"items":[${record}]}`, undefined],
  ...OTHER_LISTS.map((name) => [`${name} as an array`, `{"${name}":[${record}]}`, undefined] as const),
  ['rows keyed by slug', `{"rows":{"one":${record}}}`, 'one'],
  ...ENVELOPES.map((name) => [`skills within ${name}`, `{"${name}":{"skills":[${record}]}}`, undefined] as const),
  ['hits within hits', `{"hits":{"total":1,"hits":[${record}]}}`, undefined],
  ['the only array of skills, of any name', `{"tools":["a"],"capabilities":[${record}]}`, undefined],
  ['a root object keyed by slug', `{"one":${record}}`, 'one'],
  ['a key written with escapes', `{"\\u0073kills":[${record}]}`, undefined],
  ['a byte order mark first', `\ufeff\n[${record}]\n`, undefined],
])('a registry file may be %s', (_shape, text, key) => {
  const context = { kind: 'skill' };
  expect(recordsOf(text)).toEqual([
    { index: 0, key, value: JSON.parse(record), isTooLarge: false, isPlain: true, context },
  ]);
});

test.each(['[]', '{"skills":[]}', '{"items":{}}', '{"plugins":[]}', '{"docs":[]}'])(
  'the registry file %s has no records',
  (text) => {
    expect(recordsOf(text)).toEqual([]);
  },
);

test.each([
  ['empty', ''],
  ['empty', ' \r\n\t'],
  ['empty', '\ufeff'],
  ['html', '<!doctype html><title>502</title>'],
  ['html', '\n <html>'],
  ['not_json', 'Service Unavailable'],
  ['not_json', '[{"name":"a"}'],
  ['not_json', '[{"name":"a"}]]'],
  ['not_json', '[{"name":"a"},]'],
  ['not_json', '[{"name":"a"} {"name":"b"}]'],
  ['not_json', '[{"name":"a\nb"}]'],
  ['not_json', '[{"name":"\\x"}]'],
  ['not_json', '[{"stars":01}]'],
  ['not_json', '{"skills":[],"more":nul}'],
  ['not_json', '\ufeff\ufeff[]'],
  ['not_json', '['.repeat(1_000_000)],
  ['not_json', `{"skills":[],"more":${'{"a":'.repeat(100_000)}`],
  ['not_json', `[{"text":"${'x'.repeat(1_048_576)}",}]`],
  ['unknown_shape', 'null'],
  ['unknown_shape', '"text"'],
  ['unknown_shape', '7'],
  ['unknown_shape', '{}'],
  ['unknown_shape', '{"message":"Not Found"}'],
  ['unknown_shape', '{"error":{"name":"E"},"code":404,"at":1}'],
  ['unknown_shape', '{"skills":7}'],
  ['unknown_shape', '{"skills":[1],"skills":3}'],
  ['unknown_shape', '{"rows":[1,2]}'],
  ['unknown_shape', JSON.stringify(Array(10_001).fill({ skills: [{ name: 'x' }] }))],
  ['unknown_shape', '{"plugins":["eslint","import"]}'],
  ['unknown_shape', '{"data":{"message":"Not Found"}}'],
  ['unknown_shape', '{"mcpServers":{"one":{"command":"npx","description":"A server."}}}'],
  ['unknown_shape', '{"servers":[{"name":"one","command":"npx"}]}'],
  ['unknown_shape', '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}]},"permissions":{}}'],
  ['unknown_shape', '{"name":"one","description":"A plugin.","commands":["./a.md"],"mcpServers":"./mcp.json"}'],
  ['unknown_shape', '{"a":[{"name":"x","description":"y"}],"b":[{"name":"x","description":"y"}]}'],
])('a file is refused as %s (case %#)', (code, text) => expect(codeOf(bytesOf(text))).toBe(code));

test('of members with the same key the last one counts', () => {
  expect(recordsOf('{"skills":[1,2],"skills":{"a":1,"b":2,"a":3}}')).toMatchObject([
    { index: 0, key: 'b', value: 2 },
    { index: 1, key: 'a', value: 3 },
  ]);
  expect(readDocument(bytesOf('{"skills":[],"categories":["a"],"categories":["b"]}')).declared).toMatchObject([
    { id: 'b' },
  ]);
  // Only the last one tells whether the list is one of records.
  expect(recordsOf('{"rows":{"a":[],"a":{"name":"x"}}}')).toMatchObject([{ index: 0, key: 'a', value: { name: 'x' } }]);
});

test('records have the order of the file', () => {
  const named = (...names: string[]) => names.map((name) => ({ name, description: 'Text.' }));
  const file = { plugins: named('p', 'o'), skills: named('b', 'a'), agents: named('c') };
  expect(recordsOf(JSON.stringify(named('b', 'c', 'a'))).map(({ value }) => value)).toEqual(named('b', 'c', 'a'));
  const records = recordsOf(JSON.stringify(file));
  expect(records.map(({ index, value }) => [index, value])).toEqual([...named('b', 'a', 'p', 'o', 'c').entries()]);
});

test('a record that is too large is not parsed, and the next ones are read', () => {
  const long = `{"name":"long","text":"${'x'.repeat(1_048_576)}"}`;
  expect(recordsOf(`[${long},{"name":"b"}]`)).toMatchObject([
    { index: 0, value: undefined, isTooLarge: true },
    { index: 1, value: { name: 'b' }, isTooLarge: false },
  ]);
  expect(recordsOf(`{"a":${long},"b":{"name":"b"}}`)).toMatchObject([{ isTooLarge: true }, { key: 'b' }]);
});

test('a record may have one mebibyte', () => {
  const text = `"${'x'.repeat(1_048_574)}"`;
  expect(recordsOf(`[${text}]`)).toMatchObject([{ isTooLarge: false }]);
  expect(recordsOf(`[${text.replace('x', 'xx')}]`)).toMatchObject([{ isTooLarge: true }]);
});

test('a deep record does not overflow the stack', () => {
  const nested = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`;
  expect(recordsOf(`[${nested},{"name":"b"}]`)).toHaveLength(2);
  const deeper = `${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}`;
  expect(recordsOf(`[${deeper},{"name":"b"}]`)).toMatchObject([{ isTooLarge: true }, { value: { name: 'b' } }]);
});

test.each([
  ['a list', '[{"id":"docs","name":"Docs","description":"Papers."},"empty",null,7]'],
  ['an object', '{"docs":{"name":"Docs","description":"Papers."},"empty":{},"junk":null}'],
])('declared categories may be %s', (_form, categories) => {
  expect(readDocument(bytesOf(`{"skills":[],"categories":${categories}}`)).declared).toEqual([
    { id: 'docs', name: 'Docs', description: 'Papers.' },
    { id: 'empty', name: 'empty', description: null },
  ]);
});

test('a part of a larger buffer is read', () => {
  const whole = bytesOf('xx[{"name":"é"}]yy');
  const [entry] = readDocument(whole.subarray(2, -2)).entries();
  expect(entry?.read()).toMatchObject({ value: { name: 'é' }, isPlain: false });
});

/** The expected result by `JSON.parse` of the whole text: a code, or the records. */
function readWhole(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  const first = /[^ \t\r\n]/.exec(text)?.[0];
  if (first === undefined) return 'empty';
  if (first === '<') return 'html';
  try {
    const found = findRecords(JSON.parse(text));
    return found ? inOrder(found) : 'unknown_shape';
  } catch {
    return 'not_json';
  }
}

type Found = { key: string | undefined; json: string | undefined }[];

function findRecords(document: unknown): Found | undefined {
  if (Array.isArray(document)) return areGroups(document) ? fromGroups(document) : fromContainer(document);
  if (!isObject(document)) return undefined;
  const inner = ENVELOPES.map((name) => document[name]).filter(isObject);
  const named = [document, ...inner].map(findNamed).find((found) => found.length > 0);
  if (named) return named.flatMap(fromContainer);
  const values = Object.values(document);
  const groups = values.filter(Array.isArray).find(areGroups);
  if (groups) return fromGroups(groups);
  if (values.filter(isRecord).length * 2 > values.length) return fromContainer(document);
  const lists = values.filter(Array.isArray).filter((list) => mostAre(list, isNamedEntry));
  return lists.length === 1 ? fromContainer(lists[0] ?? []) : undefined;
}

function areGroups(list: unknown[]): boolean {
  return mostAre(list, isGroup);
}

function isGroup(value: unknown): value is Record<string, unknown> {
  const lists = isObject(value) ? [value.skills, value.items, value.plugins] : [];
  return lists.some((list) => Array.isArray(list) && isObject(list[0]));
}

function fromGroups(groups: unknown[]): Found {
  return groups.filter(isGroup).flatMap(findNamed).flatMap(fromContainer);
}

type Container = unknown[] | Record<string, unknown>;

function findNamed(document: Record<string, unknown>): Container[] {
  const at = (name: string) => (isContainer(document[name]) ? document[name] : undefined);
  const main = SKILL_LISTS.map(at).find(Boolean);
  const found = main ? byCategory(main) : [];
  for (const [name, kind] of KIND_LISTS) {
    const list = at(name);
    if (list && (kind === 'plugin' ? isListOfRecords(list) : isCatalogue(list, found.length > 0))) found.push(list);
  }
  if (found.length > 0) return found;
  const other = OTHER_LISTS.map(at).find((list) => {
    return list && isListOfRecords(list) && !(Array.isArray(list) && areGroups(list));
  });
  return other ? [other] : [];
}

function byCategory(list: Container): Container[] {
  const values = Object.values(list);
  const lists = values.filter((value) => Array.isArray(value) && isObject(value[0]));
  return !Array.isArray(list) && lists.length * 2 > values.length ? (lists as Container[]) : [list];
}

function isListOfRecords(list: Container): boolean {
  return (Array.isArray(list) && list.length === 0) || mostAre(Object.values(list), isRecord);
}

function isCatalogue(list: Container, isBeside: boolean): boolean {
  if (Array.isArray(list)) return mostAre(list, isListedEntry);
  return isBeside && mostAre(Object.values(list), (value) => isText(merged(value).description));
}

function mostAre(list: unknown[], isWanted: (value: unknown) => boolean): boolean {
  const examples = list.slice(0, 100);
  return examples.filter(isWanted).length * 2 > examples.length;
}

function isRecord(value: unknown): boolean {
  const { name, description } = merged(value);
  return isText(name) || isText(description);
}

function isNamedEntry(value: unknown): boolean {
  const { name, title, id, slug, key, description } = merged(value);
  return isText(description) && [name, title, id, slug, key].some(isText);
}

function isListedEntry(value: unknown): boolean {
  const { name, title, id, slug, key, ...rest } = merged(value);
  const { description, summary, category, path, repository, repo, source } = rest;
  const isDescribed = [description, summary, category, path, repository, repo, source].some(isText);
  return isDescribed && [name, title, id, slug, key].some(isText);
}

function merged(value: unknown): Record<string, unknown> {
  if (!isObject(value) || isText(value.name)) return isObject(value) ? value : {};
  const wrapped = Object.entries(value).filter(([name]) => ['row', 'server', '_source', 'attributes'].includes(name));
  const records = wrapped.flatMap(([, record]) => (isObject(record) ? Object.entries(record) : []));
  return Object.fromEntries([...Object.entries(value), ...records]);
}

const isText = (value: unknown) => typeof value === 'string';
const isContainer = (value: unknown): value is Container => Array.isArray(value) || isObject(value);

function fromContainer(container: Container): Found {
  if (Array.isArray(container)) return container.map((value) => ({ key: undefined, json: JSON.stringify(value) }));
  return Object.entries(container).map(([key, value]) => ({ key, json: JSON.stringify(value) }));
}

/** JavaScript objects put numeric keys first, so that only the records of a file without keys are in its order. */
function inOrder(found: Found): Found {
  const textOf = ({ key, json }: Found[number]) => JSON.stringify([key, json]);
  return found.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function readRecords(bytes: Uint8Array): unknown {
  try {
    const records = Array.from(readDocument(bytes).entries(), (entry) => entry.read());
    expect(records.map(({ index }) => index)).toEqual(records.map((_record, at) => at));
    return inOrder(records.map(({ key, value }) => ({ key, json: JSON.stringify(value) })));
  } catch (error) {
    if (error instanceof UpstreamError) return error.code;
    throw error;
  }
}

const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n');
const text = fc.oneof(
  fc.constantFrom(
    '"name"',
    '"description"',
    '"skills"',
    '"items"',
    '"categories"',
    '"__proto__"',
    '"1"',
    '"\\u0073kills"',
  ),
  unicodeText().map((value) => JSON.stringify(value)),
  fc.stringMatching(/^"(?:[ -!#-[\]-~]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"$/),
);
/** After an object with the key `\\"`, JSON.parse of V8 14.6 takes the key `" ` of the next one for it. */
const hasNoBackslash = (json: string) => !json.includes('\\\\');
const key = text.filter(hasNoBackslash);
const compactJson = fc.json().filter(hasNoBackslash);
const number = fc.constantFrom('null', 'true', 'false', '0', '-0', '1e5', '-1.50E-3', '1E+400');
/** JSON as text, because only a text can have duplicate keys. */
const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
  json: fc.oneof({ depthSize: 'small' }, text, number, compactJson, tie('list'), tie('object')),
  list: fc.array(fc.tuple(space, tie('json'), space)).map((items) => `[${items.map((item) => item.join(''))}]`),
  object: fc
    .array(fc.tuple(space, key, fc.constant(' :'), tie('json'), space))
    .map((members) => `{${members.map((member) => member.join(''))}}`),
}));
const registry = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff'),
    space,
    fc.oneof(
      json,
      fc.array(json).map((records) => `[${records.join()}]`),
      fc
        .array(
          fc.tuple(
            fc.constantFrom('"skills"', '"items"', '"plugins"', '"rows"', '"agents"', '"data"', '"a"', '"b"', '"2"'),
            json,
          ),
        )
        .map((members) => `{${members.map((member) => member.join(':')).join()}}`),
    ),
    space,
  )
  .map((parts) => bytesOf(parts.join('')));

test('a string with any byte at any position is read or refused as by JSON.parse', () => {
  const wrong: string[] = [];
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 0; place < 8; place++) {
      for (const before of ['', '\\']) {
        const bytes = bytesOf(`[["${before}012345678901"]]`);
        bytes[3 + before.length + (before ? 0 : place)] = byte;
        if (JSON.stringify(readRecords(bytes)) !== JSON.stringify(readWhole(bytes)))
          wrong.push(`${before}${byte} ${place}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test.each(['\u007f', 'é', '\\n', '\\u0041'])('a string with %j at any position is not plain', (odd) => {
  for (let place = 0; place < 8; place++) {
    const text = `"${'x'.repeat(place)}${odd}${'x'.repeat(12)}"`;
    expect(recordsOf(`["plain",${text}]`).map(({ isPlain }) => isPlain)).toEqual([true, false]);
  }
});

interface Mutation {
  at: number;
  removed: number;
  inserted: Uint8Array;
}

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof({ weight: 5, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.constant(1_000_000) }),
  inserted: fc.oneof(
    fc.uint8Array({ maxLength: 2 }),
    fc.constantFrom(...'"\\{}[]:,-.0eE tfn<\u0001é').map((character) => new Uint8Array(bytesOf(character))),
  ),
});

function mutate(bytes: Uint8Array, { at, removed, inserted }: Mutation): Uint8Array {
  const place = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + removed)]);
}

test('any JSON, damaged or not, is read or refused in the same way as by JSON.parse', () => {
  const outcomes = new Set<unknown>();
  fc.assert(
    fc.property(registry, fc.array(mutation, { maxLength: 3 }), (bytes, mutations) => {
      const damaged = mutations.reduce(mutate, bytes as Uint8Array);
      const outcome = readRecords(damaged);
      outcomes.add(typeof outcome === 'string' ? outcome : 'read');
      expect(outcome).toEqual(readWhole(damaged));
    }),
    // Chance alone seldom begins with the character of HTML.
    { numRuns: runs(3_500), examples: [[bytesOf('<html>'), []]] },
  );
  expect([...outcomes].sort()).toEqual(['empty', 'html', 'not_json', 'read', 'unknown_shape']);
}, 120_000);
