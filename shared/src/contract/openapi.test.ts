import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { HttpError } from '../http/errors.ts';
import { orNull } from './fields.ts';
import { parseInput } from './input.ts';
import { createDocument } from './openapi.ts';
import { defineOperation, type Operation } from './operation.ts';
import { SCOPE_NAMES } from './scopes.ts';
import { requiredScope, SECURITY_SCHEMES, toSecurity } from './security-schemes.ts';

const BASE = { method: 'get', tag: 'A', summary: '', responses: { 200: { description: 'It is.' } } } as const;

interface Documented {
  security: object[];
  'x-required-scope'?: string | null;
  responses: Record<
    string,
    { content?: Record<string, { schema?: object; examples?: Record<string, { value: unknown }> }> }
  >;
}

function document(operation: Operation): Documented {
  const { paths } = createDocument('T', [{ name: 'A', description: '' }], [operation]);
  return Object.values(paths?.['/a'] ?? {})[0] as unknown as Documented;
}

test('an operation with a scope declares it, by OAuth 2 and by name, and its 403', () => {
  const found = document(defineOperation({ ...BASE, id: 'a', path: '/a', scope: 'tasks:write' }));
  expect(found.security).toEqual([{ bearer: ['tasks:write'] }, { apiKeyHeader: [] }, { sessionCookie: [] }]);
  expect(found['x-required-scope']).toBe('tasks:write');
  const { examples } = found.responses[403]?.content?.['application/json'] ?? {};
  expect(Object.values(examples ?? {}).map(({ value }) => value)).toContainEqual({
    error: 'forbidden',
    message: 'This needs the scope tasks:write',
    details: { required: 'tasks:write' },
  });
});

test('an operation for all who have signed in declares that no scope is required', () => {
  const found = document(defineOperation({ ...BASE, id: 'a', path: '/a', scope: 'signed-in' }));
  expect(found.security).toEqual([{ bearer: [] }, { apiKeyHeader: [] }, { sessionCookie: [] }]);
  expect(found['x-required-scope']).toBeNull();
  expect(Object.keys(found.responses)).toEqual(expect.arrayContaining(['401', '403']));
  expect(JSON.stringify(found.responses)).not.toContain('This needs the scope');
});

test('an operation for tokens only declares no other scheme', () => {
  const bearer = { ...BASE, id: 'a', path: '/a', security: 'bearer', scope: 'signed-in' } as const;
  expect(document(bearer).security).toEqual([{ bearer: [] }]);
});

test('a public operation declares neither security nor a scope', () => {
  const found = document({ ...BASE, id: 'a', path: '/a', security: 'public' });
  expect(found.security).toEqual([]);
  expect(found).not.toHaveProperty('x-required-scope');
  expect(found.responses).not.toHaveProperty('401');
  expect(found.responses).not.toHaveProperty('403');
});

test('a stream has the media type that the operation declares', () => {
  const streamOf = (streamType?: string) => {
    const response = { description: '', schema: z.object({}), stream: 'A stream.', ...(streamType && { streamType }) };
    return Object.keys(
      document({ ...BASE, id: 'a', path: '/a', scope: 'audit:read', responses: { 200: response } }).responses[200]
        ?.content ?? {},
    );
  };
  expect(streamOf()).toEqual(['application/json', 'text/event-stream']);
  expect(streamOf('application/x-ndjson')).toEqual(['application/json', 'application/x-ndjson']);
});

test('the document has all security schemes, and OAuth 2 lists every scope', () => {
  const { components } = createDocument('T', [], []);
  expect(components?.securitySchemes).toEqual(SECURITY_SCHEMES);
  expect(Object.keys(SECURITY_SCHEMES.bearer.flows.password.scopes)).toEqual([...SCOPE_NAMES, 'offline_access']);
});

test('the security and the scope of an operation agree', () => {
  expect(toSecurity('public', null)).toEqual([]);
  expect(toSecurity('bearer', 'users:admin')).toEqual([{ bearer: ['users:admin'] }]);
  const base = { ...BASE, id: 'a', path: '/a' };
  expect(requiredScope({ ...base, security: 'public' })).toBeUndefined();
  expect(requiredScope({ ...base, scope: 'signed-in' })).toBeNull();
  expect(requiredScope({ ...base, scope: 'users:admin' })).toBe('users:admin');
});

const POINT = z.strictObject({ x: z.int('must be a whole number'), y: z.int() }).meta({ id: 'Point' });
const BODY = z.object({ point: orNull(POINT, 'A place.').optional() }).meta({ id: 'Body' });

test('a schema with a name, or null, is a reference or null, with its description', () => {
  const responses = { 200: { description: '', schema: BODY } };
  const operation = defineOperation({ ...BASE, id: 'a', path: '/a', security: 'public', responses });
  const { components } = createDocument('T', [{ name: 'A', description: '' }], [operation]);
  expect(components?.schemas?.Body).toEqual({
    type: 'object',
    properties: {
      point: { oneOf: [{ $ref: '#/components/schemas/Point' }, { type: 'null' }], description: 'A place.' },
    },
  });
  expect(components?.schemas?.Point).toMatchObject({ type: 'object', required: ['x', 'y'] });
});

test.each([{}, { point: null }, { point: { x: 1, y: 2 } }])('a schema or null accepts %j', (body) => {
  expect(parseInput(BODY, body)).toEqual(body);
});

test.each<[unknown, object[]]>([
  [7, [{ path: 'point', code: 'invalid_type', message: 'must be an object' }]],
  [{ x: 'a', y: 2 }, [{ path: 'point.x', code: 'invalid_type', message: 'must be a whole number' }]],
  [{ x: 1 }, [{ path: 'point.y', code: 'required', message: 'is required' }]],
  [{ x: 1, y: 2, z: 3 }, [{ path: 'point.z', code: 'unknown_field', message: 'is not a known field' }]],
])('a schema or null names what is wrong with %j', (point, fields) => {
  const refusal = () => {
    try {
      return parseInput(BODY, { point });
    } catch (error) {
      return (error as HttpError).body;
    }
  };
  expect(refusal()).toMatchObject({ details: { fields } });
});
