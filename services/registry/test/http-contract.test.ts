import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type FakeUpstream, registryOf, startUpstream } from './fake-upstream.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Answer {
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, Media>;
}

interface OpenApi {
  paths: Record<string, { get: { responses: Record<string, Answer>; parameters?: { name: string }[] } }>;
  components: { schemas: object };
}

let upstream: FakeUpstream;
let registry: StartedRegistry;
let document: OpenApi;
let snapshot: string;

beforeAll(async () => {
  upstream = await startUpstream(registryOf(145));
  registry = await startRegistry({ source: upstream.url });
  snapshot = (await servedOf(145)).snapshot_id;
  upstream.serve(registryOf(146));
  await registry.refresh();
  await servedOf(146);
  document = (await registry.http.get('/openapi.json').expect(200)).body;
});
afterAll(async () => {
  await registry.close();
  await upstream.close();
});

const servedOf = (count: number) =>
  until(registry.status, { holds: ({ counts }) => counts.skills === count, timeoutMs: 60_000 });

/** What of a value does not fit a schema of the document. */
function errorsOf(schema: object, value: unknown) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile({ components: document.components, ...schema });
  return validate(value) ? [] : validate.errors;
}

/** A template, a request that it describes, and the status of its answer. */
const REQUESTS: [template: string, path: string, status: number][] = [
  ['/api/skills', '/api/skills', 200],
  ['/api/skills', '/api/skills?q=skill&limit=3&sort=stars&valid=true', 200],
  ['/api/skills', '/api/skills?facets=category,tag,author,license,valid&limit=3', 200],
  ['/api/skills', '/api/skills?fields=id,name,source&cursor=', 200],
  ['/api/skills', '/api/skills?cursor=nonsense', 400],
  ['/api/skills', '/api/skills?facets=colour', 400],
  ['/api/skills/{skill_id}', '/api/skills/skill-1', 200],
  ['/api/skills/{skill_id}', '/api/skills/none', 404],
  ['/api/categories', '/api/categories', 200],
  ['/api/suggestions', '/api/suggestions?q=s', 200],
  ['/api/suggestions', '/api/suggestions', 400],
  ['/api/changes', '/api/changes?since=SNAPSHOT', 200],
  ['/api/changes', '/api/changes?since=none', 410],
  ['/api/changes', '/api/changes', 400],
  ['/api/feed.atom', '/api/feed.atom', 200],
  ['/.well-known/agent-skills/index.json', '/.well-known/agent-skills/index.json', 200],
  ['/api/registry/status', '/api/registry/status', 200],
  ['/registry.json', '/registry.json', 200],
];

test.each(REQUESTS)('%s: what is served at %s is what the document says of %s', async (template, path, status) => {
  const res = await registry.http.get(path.replace('SNAPSHOT', snapshot)).buffer(true).expect(status);
  const answer = document.paths[template]?.get.responses[status];
  const type = String(res.headers['content-type']).split(';')[0] as string;
  const media = answer?.content?.[type];
  expect(Object.keys(answer?.content ?? {})).toContain(type);
  const body: unknown = type === 'application/json' ? JSON.parse(res.text) : res.body.toString();
  expect(errorsOf(media?.schema ?? {}, body)).toEqual([]);
  const required = Object.entries(answer?.headers ?? {}).filter(([, header]) => header.required);
  for (const [name] of required) expect(res.headers).toHaveProperty(name.toLowerCase());
});

test.each(['/api/skills?limit=2', '/api/changes?since=SNAPSHOT', '/api/feed.atom', '/api/suggestions?q=s'])(
  '%s: a 304 has the headers that the document says',
  async (path) => {
    const asked = path.replace('SNAPSHOT', snapshot);
    const { headers } = await registry.http.get(asked).expect(200);
    const again = await registry.http
      .get(asked)
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    const answer = document.paths[path.split('?')[0] as string]?.get.responses['304'];
    const required = Object.entries(answer?.headers ?? {}).filter(([, header]) => header.required);
    expect(required.length).toBeGreaterThan(3);
    for (const [name] of required) expect(again.headers).toHaveProperty(name.toLowerCase());
  },
);

describe('the document', () => {
  test('has a request above for each of its paths', () => {
    expect([...new Set(REQUESTS.map(([template]) => template))].sort()).toEqual(Object.keys(document.paths).sort());
  });

  test('has only examples that fit what they are examples of', () => {
    let examples = 0;
    for (const { get } of Object.values(document.paths)) {
      for (const { content = {} } of Object.values(get.responses)) {
        for (const { schema, example, examples: more = {} } of Object.values(content)) {
          for (const value of [example, ...Object.values(more).map((one) => one.value)]) {
            if (value === undefined) continue;
            expect(errorsOf(schema, value)).toEqual([]);
            examples++;
          }
        }
      }
    }
    expect(examples).toBeGreaterThan(20);
  });

  test('names every parameter of the list', () => {
    const names = document.paths['/api/skills']?.get.parameters?.map(({ name }) => name);
    const filters = ['q', 'category', 'tag', 'author', 'repo', 'license', 'valid', 'updated_since'];
    const shape = ['facets', 'fields', 'sort', 'order', 'skip', 'limit', 'cursor'];
    expect(names).toEqual(expect.arrayContaining([...filters, ...shape]));
  });
});
