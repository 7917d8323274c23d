import { expect, test } from '@jest/globals';
import type { OpenApiDocument } from './document.ts';
import { findGeneratorFaults } from './generator-rules.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

function documentOf(schemas: object, parts: { headers?: object[]; securitySchemes?: object } = {}): OpenApiDocument {
  const { headers = [], securitySchemes = {} } = parts;
  const responses = Object.fromEntries(headers.map((one, at) => [200 + at, { headers: one }]));
  const paths = { '/boats': { get: { operationId: 'listBoats', responses } } };
  return { paths, components: { schemas, securitySchemes } } as unknown as OpenApiDocument;
}

test.each<[string, OpenApiDocument]>([
  ['/schemas/Boat: is anyOf, not oneOf', documentOf({ Boat: { anyOf: [{ type: 'string' }, { type: 'null' }] } })],
  [
    '/schemas/Boat/properties/sails: is a union with an array',
    documentOf({
      Boat: { properties: { sails: { oneOf: [{ type: 'array', items: { type: 'string' } }, ref('Sail')] } } },
      Sail: object('area'),
    }),
  ],
  [
    '/schemas/Fleet/items: is a union whose members look the same',
    documentOf({ Fleet: { items: { oneOf: [ref('Boat'), ref('Ship')] } }, Boat: object('a', 'b'), Ship: object('b') }),
  ],
  [
    '/schemas/Boat: is a union whose members look the same',
    documentOf({ Boat: { oneOf: [{ type: 'string' }, { type: 'string', format: 'uuid' }] } }),
  ],
  [
    '/schemas/Boat/properties/default: an object is the default',
    documentOf({ Boat: { properties: { default: { type: 'object', default: {} } } } }),
  ],
  [
    'GET /boats: Knots is required in some responses only',
    documentOf({}, { headers: [{ Knots: { required: true } }, { Knots: {} }] }),
  ],
  ['Map is a global of JavaScript', documentOf({ Map: object() })],
  ['NewBoat is of Boat and NewBoat', documentOf({ Boat: object(), NewBoat: object() })],
  [
    'HarbourKey is of HarbourKey and scheme harbour_key',
    documentOf({ HarbourKey: object() }, { securitySchemes: { harbour_key: {} } }),
  ],
  ['ListBoatsResponse is of ListBoatsResponse and GET /boats', documentOf({ ListBoatsResponse: object() })],
  ['OAuth is of OAuth and Oauth', documentOf({ OAuth: object(), Oauth: object() })],
  [
    'LogType: boat.state is a type',
    documentOf({
      Boat: { properties: { state: { enum: ['moored'] } } },
      Log: { properties: { type: { enum: ['boat.state', 'moored'] } } },
    }),
  ],
])('finds that %s', (fault, document) => {
  expect(findGeneratorFaults(document)).toContain(fault);
});

test('takes unions that can be told apart, and defaults and headers that others can declare', () => {
  const schemas = {
    Boat: { ...object('name', 'sail'), default: ['x'] },
    Ship: object('name', 'engine'),
    Any: { oneOf: [ref('Boat'), ref('Ship'), { type: 'string' }, { type: 'null' }] },
    Kind: { oneOf: [object('kind'), object('kind')], discriminator: { propertyName: 'kind' } },
    Sample: { properties: { anyOf: { type: 'string' } }, example: { anyOf: [], default: {} } },
  };
  const headers = [{ Knots: { required: true } }, { Knots: { required: true }, Depth: {} }];
  expect(findGeneratorFaults(documentOf(schemas, { headers }))).toEqual([]);
});
