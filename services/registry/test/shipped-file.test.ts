import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openRegistry } from './support/open-registry.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

const file = read('registry.json');

test('the registry file that ships fits its schema', () => {
  const ajv = new Ajv2020({ allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(read('registry.schema.json'));
  validate(file);
  expect(validate.errors).toBeNull();
});

test('the registry file that ships has at least thirty skills with distinct ids, and only declared categories', () => {
  const ids = file.skills.map(({ id }: { id: string }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(30);
  expect(new Set(ids).size).toBe(ids.length);
  const declared = new Set(file.categories.map(({ id }: { id: string }) => id));
  expect(file.skills.filter(({ category }: { category: string }) => !declared.has(category))).toEqual([]);
});

test('the registry file that ships is served without warnings when no source is configured', async () => {
  const registry = await openRegistry({});
  const status = await registry.status();
  expect(status).toMatchObject({ source: 'shipped', stale: false, last_error: null, rejected: [], warnings: [] });
  expect(status.counts.skills).toBe(file.skills.length);
  const { body } = await registry.http.get('/api/skills/review-pull-request').expect(200);
  expect(body).toMatchObject({ name: 'review-pull-request', category: 'code-quality', extra: {} });
});
