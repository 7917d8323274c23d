import { SCOPE_NAMES } from '@agent-fleet/shared/contract/scopes';
import { describe, expect, test } from '@jest/globals';
import { type OpenApiDocument, operationsOf } from '../contract/document.ts';
import { findGeneratorFaults } from '../contract/generator-rules.ts';
import { findSchemaFaults } from '../contract/schema-rules.ts';
import type { Api } from '../harness/api.ts';
import { expectError, expectJson, expectNoBody, expectResponse, STRONG_ETAG } from './expectations.ts';

const PUBLIC =
  /^(\w+ \/(docs|redoc|download\/.*|\.well-known\/.*|openapi\.json|token|revoke|health|ready|api\/.*|registry\.json)|POST \/session|PUT \/password-resets\/.*)$/;

/** Specification "Endpoints", "Versioning"; docs/contract.md "Gateway operations". */
export function specifyPages(api: Api): void {
  const get = (path: string, headers = {}) => api.call('GET', path, { as: 'nobody', headers });

  const readDocument = async () => (await get('/openapi.json')).json as OpenApiDocument;

  describe.each(['/docs', '/redoc'])('%s', (path) => {
    test('each is a public web page', async () => {
      const page = await get(path, { 'x-api-key': 'wrong' });
      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      expect(page.text).toMatch(/<html/i);
      const head = await api.call('HEAD', path, { as: 'nobody' });
      expect([head.status, head.text]).toEqual([200, '']);
    });

    test('each loads only resources of this origin, and all of them exist', async () => {
      const { text } = await get(path);
      const links = text.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="(?!data:)([^"]*)"/g);
      const files = [...links].map(([, url]) => String(url));
      expect(files.some((url) => url.endsWith('.js'))).toBe(true);
      for (const file of files) {
        const url = new URL(file, `http://here${path}`);
        expect(url.host).toBe('here');
        const response = await get(url.pathname);
        expect([file, response.status]).toEqual([file, 200]);
        if (file.endsWith('.css')) expect(response.text).not.toMatch(/url\(["']?(https?:)?\/\//);
      }
      expect(text).not.toMatch(/@import|fonts\.googleapis/);
    });

    test('each shows the merged document', async () => {
      const { text } = await get(path);
      const init = path === '/docs' ? (await get('/docs/swagger-ui-init.js')).text : text;
      expect(init).toContain('/openapi.json');
    });
  });

  test('GET /openapi.json describes version 1.0.0, with the credentials of each operation', async () => {
    const response = await get('/openapi.json');
    expect(response.status).toBe(200);
    expectJson(response);
    const document = response.json as OpenApiDocument;
    const { openapi, info, servers, paths } = document;
    expect(openapi).toMatch(/^3\.1\./);
    expect(info).toMatchObject({ title: 'Agent Fleet API', version: '1.0.0' });
    expect(servers).toHaveLength(1);
    const operations = operationsOf(document);
    const ids = operations.map(({ doc }) => doc.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, doc } of operations) {
      const schemes = name === 'GET /protected' ? 1 : 3;
      expect([name, doc.security?.length ?? 0]).toEqual([name, PUBLIC.test(name) ? 0 : schemes]);
    }
    const verbs = Object.keys(paths).filter((path) => /\/(get|create|list|update|delete)-?/i.test(path));
    expect(verbs).toEqual([]);
  });

  test('the document declares the OAuth 2 password flow at /token with all scopes, the API key and the cookie', async () => {
    const { components } = await readDocument();
    const schemes = Object.values(components.securitySchemes);
    expect(schemes).toContainEqual(expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-API-Key' }));
    const [oauth] = schemes.filter(({ type }) => type === 'oauth2');
    expect(oauth?.flows?.password?.tokenUrl).toMatch(/^(\/)?token$/);
    const scopes = Object.keys(oauth?.flows?.password?.scopes ?? {});
    expect(scopes).toEqual([...SCOPE_NAMES, 'offline_access']);
    expect(schemes).toContainEqual(expect.objectContaining({ type: 'apiKey', in: 'cookie', name: 'fleet' }));
  });

  test('the document declares the tag of each operation once, with a description', async () => {
    const document = await readDocument();
    const { tags } = document;
    const used = new Set(operationsOf(document).flatMap(({ doc }) => doc.tags ?? []));
    expect(tags.map(({ name }) => name)).toEqual([...used]);
    for (const { description } of tags) expect(description).toMatch(/\.$/);
  });

  test('the document bounds numbers and has the patterns of parameters', async () => {
    const parameters = operationsOf(await readDocument()).flatMap(({ doc }) => doc.parameters ?? []);
    const schemasOf = (name: string) => parameters.flatMap((one) => (one.name === name ? (one.schema ?? []) : []));
    // Of audit events it is a text.
    const numbers = schemasOf('after').filter(({ type }) => type === 'integer');
    expect(numbers).toHaveLength(5);
    for (const schema of numbers) expect(schema).toMatchObject({ minimum: 0, maximum: 2 ** 53 - 1 });
    const fitting = {
      'Idempotency-Key': { good: ['release-2.4', '!'.repeat(255)], bad: ['', 'a b', 'é', '!'.repeat(256)] },
      'X-Lease-Token': { good: ['yDq1mDkF0XxwQ8sVb2c9gHt4uJ5nLrAz'], bad: ['', 'a b'] },
      updated_since: { good: ['2026-01-31', '2026-01-31T10:00:00+02:00'], bad: ['', 'yesterday', '2026-02-30'] },
      facets: { good: ['', 'category, tag'], bad: ['stars', 'category,'] },
      fields: { good: ['id'], bad: ['colour', 'id,__proto__'] },
    };
    for (const [name, { good, bad }] of Object.entries(fitting)) {
      expect(schemasOf(name).length).toBeGreaterThan(0);
      for (const { pattern } of schemasOf(name)) {
        const fits = (text: string) => new RegExp(pattern as string, 'u').test(text);
        expect([name, good.filter((text) => !fits(text)), bad.filter(fits)]).toEqual([name, [], []]);
      }
    }
  });

  test('every object in the document has a name, and the fields that responses always have are required', async () => {
    expect(findSchemaFaults(await readDocument())).toEqual([]);
  });

  test('generators of clients find no names, unions, defaults or headers in the document that they stumble over', async () => {
    expect(findGeneratorFaults(await readDocument())).toEqual([]);
  });

  test('a field with a default is not required in requests', async () => {
    const { schemas } = (await readDocument()).components;
    const leases = ['LeaseRequest', 'AgentLeaseRequest', 'TaskResult', 'Heartbeat', 'ProgressInput'];
    for (const name of ['TaskInput', 'RetryPolicyInput', ...leases]) {
      const { properties, required = [] } = schemas[name] ?? {};
      const byDefault = Object.entries(properties ?? {}).flatMap(([key, value]) => ('default' in value ? [key] : []));
      expect([name, properties === undefined, byDefault.filter((key) => required.includes(key))]).toEqual([
        name,
        false,
        [],
      ]);
    }
  });

  test('the document is 304 for a client that has it', async () => {
    const { etag } = (await get('/openapi.json')).headers;
    expect(etag).toMatch(STRONG_ETAG);
    expectNoBody(await get('/openapi.json', { 'if-none-match': etag }), 304);
  });

  test('GET /health and /ready are 200 when all dependencies are available', async () => {
    expectResponse(await get('/health'), 200, { status: 'ok' });
    const ready = await get('/ready');
    expect(ready.status).toBe(200);
    expect(ready.json).toMatchObject({ checks: { identity: 'ok', agents: 'ok', registry: 'ok' } });
  });

  test('metrics are not served on the public port', async () => {
    expectError(await get('/metrics'), 404, 'not_found');
  });
}
