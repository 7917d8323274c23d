import { expect, test } from '@jest/globals';
import { anything, assert, constantFrom, dictionary, letrec, oneof, property, record } from 'fast-check';
import { requireBounded } from './document-limits.ts';
import { mergeDocuments } from './merge.ts';
import type { Part } from './part.ts';
import { readPathItems } from './path-items.ts';
import { MergeError } from './references.ts';

const SCHEMES = { bearer: { type: 'http', scheme: 'bearer' } };
const BASE = { info: { title: 'All', version: '1' }, components: { securitySchemes: SCHEMES } };
const GOOD = {
  openapi: '3.1.0',
  paths: { '/own': { get: { operationId: 'own', security: [{ bearer: [] }], responses: {} } } },
  components: { schemas: { A: { type: 'string' } } },
};
const PREFIX = '/agents';

function partOf(document: unknown): Part {
  return {
    name: 'agents',
    document,
    accepts: (path) => path === PREFIX || path.startsWith(`${PREFIX}/`),
    security: () => [{ bearer: [] }],
    responses: () => ({ 502: { description: 'Bad.' } }),
  };
}

const words = (text: string) => constantFrom(...text.split(/\s+/));
const KEYS = words(
  `__proto__ constructor prototype toString $ref $id A get trace x-a schema items properties parameters responses
  content examples example default discriminator mapping security servers links callbacks operationId tags 200 502
  headers requestBody`,
);
const TEXTS = constantFrom(
  ...['#/components/schemas/A', '#/components/schemas/__proto__', '#/components/schemas/constructor', '#', ''],
  ...['https://evil.example/#/a', 'file:///etc/passwd', '../a.json', '#/components/schemas/%E0%A4%A', '#/paths/~1own'],
  ...['<script>alert(1)</script>', 'own', 'A', 'string'],
);
const PATHS = words(
  `/agents /agents/{a} /agents/{b} /agents/{a}/{b} /own / /{x} __proto__ /agents/__proto__ /agents/../own
  /agents/{a}.json /agents// /agents/constructor`,
);
const { tree } = letrec((tie) => ({
  tree: oneof(
    { maxDepth: 6, withCrossShrink: true },
    TEXTS,
    anything({ maxDepth: 0 }),
    dictionary(KEYS, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const operations = dictionary(
  constantFrom('get', 'post', 'trace', 'parameters', '$ref', 'servers'),
  oneof(tree, record({ responses: dictionary(constantFrom('200', '__proto__'), tree) })),
  { maxKeys: 3, noNullPrototype: true },
);
const documents = record({
  openapi: constantFrom('3.1.0', '3.1.1', '3.0.3'),
  paths: oneof(
    { weight: 9, arbitrary: dictionary(PATHS, operations, { maxKeys: 4, noNullPrototype: true }) },
    { weight: 1, arbitrary: tree },
  ),
  components: record({
    schemas: dictionary(constantFrom('A', '__proto__', 'constructor'), tree, { noNullPrototype: true }),
  }),
  security: tree,
});

test('any document is merged safely or refused', () => {
  let taken = 0;
  assert(
    property(documents, (said) => {
      // Converted by JSON, as over the network.
      const part = partOf(JSON.parse(JSON.stringify(said)));
      const own: Part = { name: 'own', document: GOOD, accepts: () => true };
      let text: string;
      try {
        requireBounded(part.name, part.document);
        readPathItems(part);
        text = JSON.stringify(mergeDocuments(BASE, [own, part]));
      } catch (error) {
        expect(error).toBeInstanceOf(MergeError);
        return;
      } finally {
        expect(Object.keys(Object.prototype)).toEqual([]);
      }
      taken++;
      const merged = JSON.parse(text);
      expect(merged).toMatchObject({ info: BASE.info, paths: GOOD.paths });
      expect(merged.components.securitySchemes).toEqual(SCHEMES);
      expect(merged.components.schemas ?? {}).not.toHaveProperty('own');
      for (const [path, item] of Object.entries<Record<string, { security?: unknown }>>(merged.paths)) {
        if (path === '/own') continue;
        expect(part.accepts(path)).toBe(true);
        expect(
          Object.keys(item).filter((key) => !['get', 'post', 'parameters', 'summary', 'description'].includes(key)),
        ).toEqual([]);
        for (const method of ['get', 'post']) if (item[method]) expect(item[method].security).toEqual([{ bearer: [] }]);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(50);
});

test.each([
  ['chains of references', chain(5_000)],
  ['one name for all operations', sameNames(250)],
  ['components that collide in a row', collisions(5_000)],
  ['a wide schema', wide(19_000)],
])('the largest documents are merged in bounded time: %s', (_what, [first, second]) => {
  const parts = [first, second].map(
    (document, at): Part => ({ ...partOf(document), name: `p${at}`, accepts: () => true }),
  );
  for (const { name, document } of parts) requireBounded(name, document);
  let leastMs = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3; times++) {
    const before = process.cpuUsage();
    mergeDocuments(BASE, parts);
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1_000);
  }
  // Measured 20 to 100 ms; an algorithm that is not linear takes many seconds.
  expect(leastMs).toBeLessThan(3_000);
});

function withSchemas(path: string, schemas: object, root: string, count = 1): object {
  const content = { 'a/b': { schema: { $ref: `#/components/schemas/${root}` } } };
  const operation = { operationId: 'same', responses: { 200: { description: '', content } } };
  const paths = Object.fromEntries(Array.from({ length: count }, (_, at) => [`${path}/${at}`, { get: operation }]));
  return { openapi: '3.1.0', paths, components: { schemas } };
}

function chain(length: number): [object, object] {
  const schemas = Object.fromEntries(
    Array.from({ length }, (_, at) => [`S${at}`, { items: { $ref: `#/components/schemas/S${(at + 1) % length}` } }]),
  );
  return [withSchemas('/a', schemas, 'S0'), withSchemas('/b', schemas, 'S0')];
}

/** Only the last one differs, so each one before it must be renamed. */
function collisions(length: number): [object, object] {
  const [one, two] = chain(length) as [object, { components: { schemas: Record<string, object> } }];
  const last = { [`S${length - 1}`]: { type: 'string' } };
  return [one, { ...two, components: { schemas: { ...two.components.schemas, ...last } } }];
}

function sameNames(count: number): [object, object] {
  return [withSchemas('/a', { A: {} }, 'A', count), withSchemas('/b', { A: {} }, 'A', count)];
}

function wide(count: number): [object, object] {
  const properties = Object.fromEntries(Array.from({ length: count / 2 }, (_, at) => [`p${at}`, {}]));
  return [withSchemas('/a', { A: { properties } }, 'A'), withSchemas('/b', { A: { properties } }, 'A')];
}
