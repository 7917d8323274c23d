import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createChecker } from './contract/checker.ts';
import {
  examplesOf,
  fieldsOf,
  JSON_TYPE,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  STREAM_TYPE,
} from './contract/document.ts';
import { specifyContract } from './contract/specify-contract.ts';
import { Api } from './harness/api.ts';

const WITH_EXAMPLES = new Set([JSON_TYPE, 'application/x-www-form-urlencoded']);

const api = new Api();
let document: OpenApiDocument;
let operations: Operation[];

beforeAll(async () => {
  await api.open();
  document = (await api.get('/openapi.json')).json as OpenApiDocument;
  operations = operationsOf(document);
}, 180_000);
afterAll(() => api.close(), 180_000);

test('the gateway has the deadline for every operation that clients may wait for', () => {
  const routes = readFileSync(join(ROOT, 'gateway/src/routing/routes.ts'), 'utf8');
  const mayWait = operations.filter(
    ({ doc }) =>
      doc.parameters?.some(({ name }) => name === 'wait') ||
      fieldsOf(document, doc).includes('wait_seconds') ||
      Object.values(doc.responses).some(({ content = {} }) => STREAM_TYPE in content),
  );
  const prefixes = [...routes.matchAll(/prefix: '([^']+)'.*mayWait: true/g)].map(([, prefix]) => prefix as string);
  expect(mayWait.length).toBeGreaterThan(0);
  expect(mayWait.filter(({ name }) => !prefixes.some((prefix) => name.includes(` ${prefix}`)))).toEqual([]);
});

test('docs/contract.md names every field of every request body', () => {
  const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
  const words = new Set((contract.match(/`[^`]+`/g) ?? []).flatMap((code) => code.match(/\w+/g) ?? []));
  const fields = operations.flatMap(({ name, doc }) => fieldsOf(document, doc).map((field) => ({ name, field })));
  expect(fields.filter(({ field }) => !words.has(field))).toEqual([]);
});

test('the examples in the document match their schemas', () => {
  expect(createChecker(document).examples()).toEqual([]);
});

test('every JSON and form body in the document has an example', () => {
  const missing = operations.flatMap(({ name, doc }) =>
    [doc.requestBody, ...Object.values(doc.responses)]
      .flatMap((part) => Object.entries(part?.content ?? {}))
      .filter(([type, media]) => WITH_EXAMPLES.has(type) && examplesOf(media).length === 0)
      .map(([type]) => `${name} ${type}`),
  );
  expect(missing).toEqual([]);
});

specifyContract(api, ['nothing']);
