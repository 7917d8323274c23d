import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { send } from './fake-upstream.ts';
import { openRegistry, openUpstream } from './open-registry.ts';
import type { StartedRegistry } from './start-registry.ts';

const RUNS = 60;
const MAX_RECORD_BYTES = 1024 * 1024;

/** Registries need a name of their own in each run: less than half of the last one would be refused. */
const goodRecord = fc.record({
  name: fc.string({ minLength: 1, maxLength: 30 }).map((text) => `skill ${text}`),
  description: fc.string({ maxLength: 200 }),
  tags: fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }),
  repo: fc.constantFrom('owner/one', 'owner/two', 'other/three'),
  path: fc.string({ maxLength: 20 }),
  stars: fc.nat(),
});

const FIELDS = ['id', 'name', 'description', 'tags', 'repo', 'path', 'stars', 'author', 'source', 'category', 'digest'];

/** A record with one field of any other type, or without it. */
const wrongRecord = fc
  .tuple(goodRecord, fc.constantFrom(...FIELDS, 'license', 'metadata', 'updated_at', '__proto__'), fc.jsonValue())
  .map(([record, field, value]) => {
    const fields = Object.entries(record).filter(([name]) => name !== field);
    return `{${[...fields, [field, value] as const].map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`)}}`;
  });

const hugeRecord = fc.constant(JSON.stringify({ name: 'huge', description: 'x'.repeat(MAX_RECORD_BYTES) }));
const deepRecord = fc.integer({ min: 1, max: 20_000 }).map((depth) => {
  return `{"name":"deep ${depth}","extra":${'['.repeat(depth)}${']'.repeat(depth)}}`;
});
const noRecord = fc.constantFrom(
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  'true',
  '{"description":"of nothing"}',
  '{"name":{}}',
);

const record = fc.oneof(
  { weight: 12, arbitrary: goodRecord.map((value) => JSON.stringify(value)) },
  { weight: 4, arbitrary: wrongRecord },
  { weight: 1, arbitrary: deepRecord },
  { weight: 1, arbitrary: noRecord },
  { weight: 1, arbitrary: hugeRecord },
);

const registry = fc
  .tuple(fc.array(record, { maxLength: 40 }), fc.constantFrom('list', 'skills', 'items', 'map'))
  .map(([records, shape]) => {
    if (shape === 'list') return `[${records}]`;
    if (shape === 'map') return `{"skills":{${records.map((one, at) => `"key-${at}":${one}`)}}}`;
    return `{"version":1,${JSON.stringify(shape)}:[${records}],"categories":[null,"x"]}`;
  });

/** The same with a few bytes changed, taken away or put in. */
const damaged = fc
  .tuple(
    registry,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('change', 'remove', 'insert', 'cut'), fc.nat(255)), { maxLength: 3 }),
  )
  .map(([text, edits]) => {
    let bytes = Buffer.from(text);
    for (const [where, kind, byte] of edits) {
      const at = where % (bytes.length + 1);
      const rest = kind === 'cut' ? Buffer.alloc(0) : bytes.subarray(at + (kind === 'insert' ? 0 : 1));
      const put = kind === 'remove' || kind === 'cut' ? Buffer.alloc(0) : Buffer.from([byte]);
      bytes = Buffer.concat([bytes.subarray(0, at), put, rest]);
    }
    return bytes;
  });

/** What the service says of itself must hold together, whatever it was given. */
async function expectWhole(service: StartedRegistry): Promise<void> {
  const status = await service.status();
  const list = await service.http.get('/api/skills').expect(200);
  expect(list.body).toHaveLength(status.counts.skills);
  expect(list.headers['x-total-count']).toBe(String(status.counts.skills));
  const [source] = status.sources;
  expect((source?.records ?? 0) - status.duplicates.count).toBe(status.counts.skills);
  expect(status.rejections.reduce((sum, { count }) => sum + count, 0)).toBe(status.counts.rejected);
  const ids = new Set(list.body.map(({ id }: { id: string }) => id));
  expect(ids.size).toBe(list.body.length);
  const [first] = list.body;
  if (first) expect((await service.http.get(`/api/skills/${first.id}`).expect(200)).body).toEqual(first);
  const raw = await service.http.get('/registry.json').expect(200);
  expect(() => JSON.parse(raw.text)).not.toThrow();
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

test('random registries, damaged or not, are served whole or refused, and the service goes on', async () => {
  const upstream = await openUpstream(3);
  const service = await openRegistry({ source: upstream.url });
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(damaged, async (bytes) => {
      upstream.answer = (_req, res) => send(res, 200, bytes);
      await service.refresh();
      const { last_error } = await service.status();
      const code = last_error?.code ?? 'served';
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
      // Of text that is not JSON nothing is ever served.
      if (!isJson(bytes)) expect(['not_json', 'html', 'empty']).toContain(code);
      else expect(['served', 'empty', 'shrunk', 'mostly_rejected', 'unknown_shape']).toContain(code);
      await expectWhole(service);
    }),
    { numRuns: RUNS, seed: 20_260_322, endOnFailure: true },
  );
  // Both must have been tried.
  expect(outcomes.get('served')).toBeGreaterThan(5);
  expect(outcomes.get('not_json')).toBeGreaterThan(5);
}, 180_000);
