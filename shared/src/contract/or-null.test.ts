import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { HttpError } from '../http/errors.ts';
import { parseInput } from './input.ts';
import { createDocument } from './openapi.ts';
import { defineOperation } from './operation.ts';
import { orNull } from './or-null.ts';

const POINT = z.strictObject({ x: z.int('must be a whole number'), y: z.int() }).meta({ id: 'Point' });
const BODY = z.object({ point: orNull(POINT, 'A place.').optional() }).meta({ id: 'Body' });

test('publishes a reference to the schema, or null, with its description', () => {
  const responses = { 200: { description: '', schema: BODY } };
  const base = { id: 'a', method: 'get', path: '/a', tag: 'A', summary: '', security: 'public' } as const;
  const { components } = createDocument(
    'T',
    [{ name: 'A', description: '' }],
    [defineOperation({ ...base, responses })],
  );
  expect(components?.schemas?.Body).toEqual({
    type: 'object',
    properties: {
      point: { anyOf: [{ $ref: '#/components/schemas/Point' }, { type: 'null' }], description: 'A place.' },
    },
  });
  expect(components?.schemas?.Point).toMatchObject({ type: 'object', required: ['x', 'y'] });
});

test.each([{}, { point: null }, { point: { x: 1, y: 2 } }])('accepts %j', (body) => {
  expect(parseInput(BODY, body)).toEqual(body);
});

test.each<[unknown, object[]]>([
  [7, [{ path: 'point', code: 'invalid_type', message: 'must be an object' }]],
  [{ x: 'a', y: 2 }, [{ path: 'point.x', code: 'invalid_type', message: 'must be a whole number' }]],
  [{ x: 1 }, [{ path: 'point.y', code: 'required', message: 'is required' }]],
  [{ x: 1, y: 2, z: 3 }, [{ path: 'point.z', code: 'unknown_field', message: 'is not a known field' }]],
])('names what is wrong with %j', (point, fields) => {
  const refusal = () => {
    try {
      return parseInput(BODY, { point });
    } catch (error) {
      return (error as HttpError).body;
    }
  };
  expect(refusal()).toMatchObject({ details: { fields } });
});
