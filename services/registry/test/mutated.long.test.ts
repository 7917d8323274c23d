import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { shardedFiles } from './support/fake-upstream.ts';
import { openServing } from './support/open-registry.ts';
import type { StartedRegistry } from './support/start-registry.ts';

const RUNS = 80;
const MAX_RECORD_BYTES = 1024 * 1024;
const FIELDS = ['id', 'name', 'description', 'tags', 'repo', 'path', 'stars', 'author', 'source', 'category', 'digest'];
const NOT_JSON = ['not_json', 'html', 'empty'];
const SHARDS_REFUSED = ['bad_manifest', 'wrong_digest', 'wrong_count', 'http_status', 'too_large'];
const KNOWN = ['served', 'shrunk', 'mostly_rejected', 'unknown_shape', ...NOT_JSON, ...SHARDS_REFUSED];

const goodRecord = fc.record({
  name: fc.string({ minLength: 1, maxLength: 30 }).map((text) => `skill ${text}`),
  description: fc.string({ maxLength: 200 }),
  tags: fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }),
  repo: fc.constantFrom('owner/one', 'owner/two', 'other/three'),
  path: fc.string({ maxLength: 20 }),
  stars: fc.nat(),
});
/** A record with a value of any type in one field. */
const wrongRecord = fc
  .tuple(goodRecord, fc.constantFrom(...FIELDS, 'license', 'metadata', 'updated_at', '__proto__'), fc.jsonValue())
  .map(([record, field, value]) => ({ ...record, [field]: value }));
const record = fc.oneof(
  { weight: 12, arbitrary: goodRecord },
  { weight: 4, arbitrary: wrongRecord },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.constant({ name: 'huge', description: 'x'.repeat(MAX_RECORD_BYTES) }) },
);

/** The files of a registry by path. */
const registry = fc
  .tuple(fc.array(record, { maxLength: 40 }), fc.constantFrom('list', 'skills', 'items', 'map', 'shards'))
  .map(([records, shape]) => {
    if (shape === 'shards') return shardedFiles([records.slice(0, 9), records.slice(9)]);
    const skills = shape === 'map' ? { skills: { ...records } } : { [shape]: records };
    const document = shape === 'list' ? records : { version: 1, ...skills, categories: [null, 'x'] };
    return { '/registry.json': JSON.stringify(document) };
  });
const edit = fc.record({
  file: fc.nat(),
  at: fc.nat(),
  removed: fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY),
  inserted: fc.constantFrom('', '"', '{', ']', ',', '7', 'x', '\0', 'é'),
});
const damaged = fc.tuple(registry, fc.array(edit, { maxLength: 2 })).map(([files, edits]) => {
  const changed: Record<string, string> = { ...files };
  for (const { file, at, removed, inserted } of edits) {
    const path = Object.keys(files)[file % Object.keys(files).length] ?? '';
    const text = changed[path] ?? '';
    const place = at % (text.length + 1);
    changed[path] = text.slice(0, place) + inserted + text.slice(place + removed);
  }
  return changed;
});

/** All responses are consistent with each other, for any fetched file. */
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

function isJson(text = ''): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('random registries, damaged or not, are served completely or refused with a known code', async () => {
  const { upstream, registry: service } = await openServing(3);
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(damaged, async (files) => {
      upstream.serveFiles(files);
      await service.refresh();
      const code = (await service.status()).last_error?.code ?? 'served';
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
      expect(isJson(files['/registry.json']) ? KNOWN : NOT_JSON).toContain(code);
      await expectWhole(service);
    }),
    { numRuns: RUNS, seed: 20_260_322, endOnFailure: true },
  );
  for (const code of ['served', 'not_json']) expect(outcomes.get(code)).toBeGreaterThan(5);
  expect(SHARDS_REFUSED.filter((code) => outcomes.has(code))).not.toEqual([]);
}, 240_000);
