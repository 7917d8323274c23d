import { describe, expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import { expectAnswer, expectError, expectJson, expectNoBody, STRONG_ETAG } from './expectations.ts';

interface Schema {
  $ref?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { in: string; name: string; schema: Schema }[];
}

interface Document {
  openapi: string;
  tags: { name: string; description: string }[];
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { type: string; flows?: { password?: { tokenUrl: string } } }>;
  };
}

const PUBLIC = /^\/(docs|redoc|\.well-known\/.*|openapi\.json|token|health|ready|api\/.*|registry\.json)$/;

/** Specification "Endpoints", "Versioning"; docs/contract.md "Gateway operations". */
export function specifyPages(api: Api): void {
  const get = (path: string, headers = {}) => api.call('GET', path, { as: 'nobody', headers });

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
        const answer = await get(url.pathname);
        expect([file, answer.status]).toEqual([file, 200]);
        if (file.endsWith('.css')) expect(answer.text).not.toMatch(/url\(["']?(https?:)?\/\//);
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
    const answer = await get('/openapi.json');
    expect(answer.status).toBe(200);
    expectJson(answer);
    const { openapi, info, servers, paths } = answer.json as Document;
    expect(openapi).toMatch(/^3\.1\./);
    expect(info).toMatchObject({ title: 'Agent Fleet API', version: '1.0.0' });
    expect(servers).toHaveLength(1);
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
    );
    expect(operations.length).toBeGreaterThan(0);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, path, operation } of operations) {
      const schemes = path === '/protected' ? 1 : 2;
      expect([name, operation.security?.length ?? 0]).toEqual([name, PUBLIC.test(path) ? 0 : schemes]);
    }
    const verbs = Object.keys(paths).filter((path) => /\/(get|create|list|update|delete)-?/i.test(path));
    expect(verbs).toEqual([]);
  });

  test('the document declares the OAuth 2 password flow at /token and the API key', async () => {
    const { components } = (await get('/openapi.json')).json as Document;
    const schemes = Object.values(components.securitySchemes);
    expect(schemes).toContainEqual(expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-API-Key' }));
    const [oauth] = schemes.filter(({ type }) => type === 'oauth2');
    expect(oauth?.flows?.password?.tokenUrl).toMatch(/^(\/)?token$/);
  });

  test('the document declares the tag of each operation once, with a description', async () => {
    const { tags, paths } = (await get('/openapi.json')).json as Document;
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
    expect(tags.map(({ name }) => name)).toEqual([...used]);
    for (const { description } of tags) expect(description).toMatch(/\.$/);
  });

  test('the document bounds numbers and has the patterns of parameters', async () => {
    const { paths } = (await get('/openapi.json')).json as Document;
    const parameters = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap((operation) => operation.parameters ?? []);
    const schemasOf = (name: string) => parameters.filter((one) => one.name === name).map(({ schema }) => schema);
    expect(schemasOf('after')).toHaveLength(3);
    for (const schema of schemasOf('after')) expect(schema).toMatchObject({ minimum: 0, maximum: 2 ** 53 - 1 });
    const fitting = {
      'Idempotency-Key': { good: ['release-2.4', '!'.repeat(255)], bad: ['', 'a b', 'é', '!'.repeat(256)] },
      'X-Lease-Token': { good: ['yDq1mDkF0XxwQ8sVb2c9gHt4uJ5nLrAz'], bad: ['', 'a b'] },
      updated_since: { good: ['2026-01-31', '2026-01-31T10:00:00+02:00'], bad: ['', 'yesterday', '2026-02-30'] },
      facets: { good: ['', 'category, tag'], bad: ['stars', 'category,'] },
      fields: { good: ['name,description'], bad: ['colour', 'id,__proto__'] },
    };
    for (const [name, { good, bad }] of Object.entries(fitting)) {
      expect(schemasOf(name).length).toBeGreaterThan(0);
      for (const { pattern } of schemasOf(name)) {
        const fits = (text: string) => new RegExp(pattern as string, 'u').test(text);
        expect([name, good.filter((text) => !fits(text)), bad.filter(fits)]).toEqual([name, [], []]);
      }
    }
  });

  test('a field with a default is not required in requests', async () => {
    const { schemas } = ((await get('/openapi.json')).json as Document).components;
    const leases = ['LeaseRequest', 'AgentLeaseRequest', 'TaskResult', 'Heartbeat', 'Progress'];
    for (const name of ['TaskInput', 'RetryPolicy', ...leases]) {
      const { properties = {}, required = [] } = schemas[name] as Schema;
      const byDefault = Object.keys(properties).filter((key) => 'default' in (properties[key] as Schema));
      expect([name, byDefault.filter((key) => required.includes(key))]).toEqual([name, []]);
    }
  });

  test('the document is 304 for a client that has it', async () => {
    const { etag } = (await get('/openapi.json')).headers;
    expect(etag).toMatch(STRONG_ETAG);
    expectNoBody(await get('/openapi.json', { 'if-none-match': etag }), 304);
  });

  test('GET /health and /ready report that all is well', async () => {
    expectAnswer(await get('/health'), 200, { status: 'ok' });
    const ready = await get('/ready');
    expect(ready.status).toBe(200);
    expect(ready.json).toMatchObject({ checks: { agents: 'ok', registry: 'ok' } });
  });

  test('metrics are not served on the public port', async () => {
    expectError(await get('/metrics'), 404, 'not_found');
  });
}
