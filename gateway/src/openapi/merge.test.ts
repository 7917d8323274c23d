import { describe, expect, test } from '@jest/globals';
import { mergeDocuments } from './merge.ts';
import type { Part } from './part.ts';
import { MergeError } from './references.ts';

const BASE = {
  info: { title: 'All', version: '1.0.0' },
  servers: [{ url: '/' }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
};

type Json = Record<string, unknown>;

function document(paths: Json, rest: Json = {}): Json {
  return { openapi: '3.1.0', info: { title: 'x', version: '9' }, paths, ...rest };
}

function part(name: string, doc: unknown, rest: Partial<Part> = {}): Part {
  return { name, document: doc, accepts: () => true, ...rest };
}

function get(schema: string, rest: Json = {}): Json {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { get: { responses: { 200: { description: '', content } }, ...rest } };
}

const schemas = (map: Json) => ({ components: { schemas: map } });
interface Merged {
  tags: Json[];
  paths: Record<string, { get: Json }>;
  components: { schemas?: Json };
  security?: unknown;
}
const merge = (...parts: Part[]) => mergeDocuments(BASE, parts) as unknown as Merged;
const refOf = (merged: ReturnType<typeof merge>, path: string) =>
  JSON.stringify(merged.paths[path]).match(/#\/components\/schemas\/([^"]+)/)?.[1];
const namesOf = (merged: ReturnType<typeof merge>) => Object.keys(merged.components.schemas ?? {});

describe('components', () => {
  test('that are equal are shared', () => {
    const thing = { type: 'object', properties: { a: { type: 'string' } } };
    const merged = merge(
      part('one', document({ '/a': get('Thing') }, schemas({ Thing: thing }))),
      part('two', document({ '/b': get('Thing') }, schemas({ Thing: structuredClone(thing) }))),
    );
    expect(namesOf(merged)).toEqual(['Thing']);
  });

  test('of one name that differ are prefixed, with every reference to them', () => {
    const merged = merge(
      part('one', document({ '/a': get('Thing') }, schemas({ Thing: { type: 'string' } }))),
      part('two', document({ '/b': get('Thing') }, schemas({ Thing: { type: 'integer' } }))),
    );
    expect(namesOf(merged)).toEqual(['Thing', 'two_Thing']);
    expect([refOf(merged, '/a'), refOf(merged, '/b')]).toEqual(['Thing', 'two_Thing']);
  });

  test('that are equal but refer to different ones are prefixed too', () => {
    const page = { type: 'array', items: { $ref: '#/components/schemas/Item' } };
    const list = { type: 'array', items: { $ref: '#/components/schemas/Page' } };
    const merged = merge(
      part('one', document({ '/a': get('List') }, schemas({ List: list, Page: page, Item: { type: 'string' } }))),
      part('two', document({ '/b': get('List') }, schemas({ List: list, Page: page, Item: { type: 'integer' } }))),
    );
    expect(refOf(merged, '/b')).toBe('two_List');
    expect(merged.components.schemas).toMatchObject({
      two_List: { items: { $ref: '#/components/schemas/two_Page' } },
      two_Page: { items: { $ref: '#/components/schemas/two_Item' } },
      Page: { items: { $ref: '#/components/schemas/Item' } },
    });
  });

  test('get an unused name', () => {
    const merged = merge(
      part('one', document({ '/a': get('T') }, schemas({ T: { type: 'string' } }))),
      part('x', document({ '/b': get('x_T') }, schemas({ x_T: { type: 'boolean' } }))),
      part('x', document({ '/c': get('T') }, schemas({ T: { type: 'integer' } }))),
    );
    expect(namesOf(merged)).toEqual(['T', 'x_T', 'x_T_2']);
    expect(refOf(merged, '/c')).toBe('x_T_2');
  });

  test('may have cyclic references', () => {
    const node = (type: string) => ({
      type,
      properties: { next: { $ref: '#/components/schemas/Node' }, other: { $ref: '#/components/schemas/Other' } },
    });
    const other = { properties: { node: { $ref: '#/components/schemas/Node' } } };
    const merged = merge(
      part('one', document({ '/a': get('Node') }, schemas({ Node: node('object'), Other: other }))),
      part('two', document({ '/b': get('Node') }, schemas({ Node: node('array'), Other: other }))),
    );
    expect(merged.components.schemas).toMatchObject({
      two_Node: { properties: { next: { $ref: '#/components/schemas/two_Node' } } },
      two_Other: { properties: { node: { $ref: '#/components/schemas/two_Node' } } },
    });
  });

  test('that no path needs are omitted', () => {
    const doc = document({ '/a': get('A'), '/b': get('B') }, schemas({ A: {}, B: {}, Secret: {} }));
    expect(namesOf(merge(part('one', doc, { accepts: (path) => path === '/a' })))).toEqual(['A']);
  });

  test('may have the names of object members', () => {
    const text = `{"openapi":"3.1.0","paths":{"/a":${JSON.stringify(get('__proto__'))}},
      "components":{"schemas":{"__proto__":{"properties":{"__proto__":{"$ref":"#/components/schemas/constructor"}}},"constructor":{"type":"string"}}}}`;
    const merged = merge(part('one', JSON.parse(text)));
    expect(namesOf(merged)).toEqual(['__proto__', 'constructor']);
    expect(({} as Json).properties).toBeUndefined();
    expect(() => merge(part('one', document({ '/a': get('toString') }, schemas({}))))).toThrow(MergeError);
  });

  test('named by a discriminator are found and renamed', () => {
    const pet = (extra: Json) => ({
      Pet: { discriminator: { propertyName: 'k', mapping: { cat: 'Cat', dog: '#/components/schemas/Dog' } } },
      Cat: {},
      Dog: {},
      ...extra,
    });
    const merged = merge(
      part('one', document({ '/a': get('Pet') }, schemas(pet({})))),
      part('two', document({ '/b': get('Pet') }, schemas(pet({ Cat: { type: 'object' } })))),
    );
    expect(merged.components.schemas).toMatchObject({
      two_Pet: { discriminator: { mapping: { cat: '#/components/schemas/two_Cat', dog: '#/components/schemas/Dog' } } },
    });
  });
});

test('a $ref in an example, or as the name of a property, is data', () => {
  const $ref = 'https://elsewhere.example/x';
  const schema = {
    properties: { $ref: { type: 'string' }, example: { type: 'string' } },
    example: { $ref },
    default: { $ref },
  };
  const media = { schema: { $ref: '#/components/schemas/A' }, examples: { one: { value: { $ref } } } };
  const paths = { '/a': { get: { responses: { 200: { description: '', content: { 'application/json': media } } } } } };
  const merged = merge(part('one', document(paths, schemas({ A: schema }))));
  expect(merged.components.schemas).toEqual({ A: schema });
  expect(merged.paths).toEqual({ '/a': { get: { ...paths['/a'].get, security: [] } } });
});

describe('refuses', () => {
  test.each([
    ['a document that is not an object', []],
    ['another version', { ...document({}), openapi: '3.0.3' }],
    ['no version', { paths: {} }],
    ['no paths', { openapi: '3.1.0' }],
    ['a path described elsewhere', document({ '/a': { $ref: '#/components/pathItems/A' } })],
    ['an operation that is not an object', document({ '/a': { get: 'x' } })],
    ['a reference to nothing', document({ '/a': get('Gone') })],
    [
      'a reference outside the document',
      document({ '/a': { get: { responses: { 200: { $ref: 'https://x.example/#/a' } } } } }),
    ],
    ['a reference to a path', document({ '/a': { get: { responses: { 200: { $ref: '#/paths/~1b' } } } } })],
    [
      'a reference to security schemes',
      document({ '/a': { get: { responses: { 200: { $ref: '#/components/securitySchemes/bearer' } } } } }),
    ],
    ['an invalid security', document({ '/a': get('A', { security: 'none' }) }, schemas({ A: {} }))],
    ['an unknown security scheme', document({ '/a': get('A', { security: [{ own: [] }] }) }, schemas({ A: {} }))],
  ])('%s', (_what, doc) => {
    expect(() => merge(part('one', doc))).toThrow(MergeError);
  });

  test('a path that exists already, with any names of its parameters', () => {
    const doc = (path: string) => document({ [path]: get('A') }, schemas({ A: {} }));
    expect(() => merge(part('one', doc('/a/{id}')), part('two', doc('/a/{name}')))).toThrow(
      '/a/{name} is already declared by one',
    );
  });
});

describe('security', () => {
  const secured = { security: [{ bearer: [] }], ...schemas({ A: {} }) };
  const securityOf = (doc: Json, rest: Partial<Part> = {}) => merge(part('one', doc, rest)).paths['/a']?.get.security;

  test('of a document applies to each operation without its own', () => {
    expect(securityOf(document({ '/a': get('A') }, secured))).toEqual([{ bearer: [] }]);
    expect(securityOf(document({ '/a': get('A', { security: [] }) }, secured))).toEqual([]);
    expect(securityOf(document({ '/a': get('A') }, schemas({ A: {} })))).toEqual([]);
  });

  test.each([[[]], [[{}]], [[{ bearer: [] }, {}]], [[{ own: [] }]]])(
    'of a path comes from the route table, not from the document: %j',
    (security) => {
      const doc = document({ '/a': get('A', { security }) }, schemas({ A: {} }));
      expect(securityOf(doc, { security: () => [{ bearer: [] }] })).toEqual([{ bearer: [] }]);
    },
  );
});

test('event streams and headers are merged unchanged', () => {
  const $ref = '#/components/schemas/Event';
  const operation = (name: string) => ({
    parameters: [
      { in: 'header', name: 'Last-Event-ID', required: false, schema: { type: 'string' } },
      { in: 'header', name: 'Idempotency-Key', schema: { $ref: $ref.replace('Event', name) } },
    ],
    responses: {
      200: {
        description: '',
        headers: { 'Idempotency-Replayed': { schema: { type: 'string' } } },
        content: {
          'application/json': { schema: { type: 'array', items: { $ref: $ref.replace('Event', name) } } },
          'text/event-stream': { schema: { type: 'string' }, example: 'id: 1-0\ndata: {}\n\n' },
        },
      },
      503: { description: '', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    },
  });
  const busy = { description: '', content: { 'application/json': { examples: { busy: { value: 1 } } } } };
  const merged = merge(
    part('one', document({ '/a': get('Event') }, schemas({ Event: {} }))),
    part('two', document({ '/events': { get: operation('Event') } }, schemas({ Event: { type: 'object' } })), {
      responses: () => ({ 503: busy }),
    }),
  );
  expect(merged.paths['/events']?.get).toEqual({ ...operation('two_Event'), security: [] });
});

describe('tags', () => {
  const agents = { name: 'Agents', description: 'Of one.' };
  const tagged = (...tags: string[]) => get('A', { tags });
  const doc = (paths: Json, tags: unknown) => document(paths, { ...schemas({ A: {} }), tags });

  test('that operations use are in the order of the documents, and the first of a name is kept', () => {
    const merged = merge(
      part('one', doc({ '/a': tagged('Agents', 'Undeclared') }, [{ name: 'Unused' }, { ...agents, 'x-more': 1 }])),
      part('two', doc({ '/b': tagged('Agents', 'Tasks') }, [{ ...agents, description: 'Of two.' }, { name: 'Tasks' }])),
    );
    expect(merged.tags).toEqual([agents, { name: 'Tasks', description: '' }]);
  });

  test('of excluded paths are omitted', () => {
    const document = doc({ '/a': tagged('Agents'), '/b': tagged('Tasks') }, [{ name: 'Tasks' }, agents]);
    expect(merge(part('one', document, { accepts: (path) => path === '/a' })).tags).toEqual([agents]);
  });

  test.each([{}, 'Agents', [null], ['Agents'], [{ name: 1 }], [{ name: 'Agents', description: {} }]])(
    'that are malformed are refused: %j',
    (tags) => expect(() => merge(part('one', doc({ '/a': tagged('Agents') }, tags)))).toThrow('tags: is malformed'),
  );
});

test('operation ids are unique', () => {
  const doc = (path: string, ...ids: string[]) =>
    document(
      Object.fromEntries(ids.map((operationId, at) => [`${path}${at}`, get('A', { operationId })])),
      schemas({ A: {} }),
    );
  const merged = merge(part('one', doc('/a', 'list')), part('two', doc('/b', 'list', 'list', 'other')));
  const ids = Object.values(merged.paths).map((item) => item.get.operationId);
  expect(ids).toEqual(['list', 'two_list', 'two_list_2', 'other']);
});

test('adds responses that an operation lacks, and examples to those it has', () => {
  const json = (examples: Json) => ({ description: '', content: { 'application/json': { examples } } });
  const own = {
    200: { description: '' },
    503: json({ busy: { value: 1 }, away: { value: 2 } }),
    404: { description: 'Own.' },
  };
  const added = {
    502: json({ broken: { value: 3 } }),
    503: json({ busy: { value: 9 }, away: { value: 2 }, full: { value: 4 } }),
    404: json({}),
  };
  const merged = merge(part('one', document({ '/a': { get: { responses: own } } }), { responses: () => added }));
  expect(merged.paths['/a']?.get.responses).toEqual({
    ...own,
    502: added[502],
    503: json({ busy: { value: 1 }, away: { value: 2 }, gateway_busy: { value: 9 }, full: { value: 4 } }),
  });
});
