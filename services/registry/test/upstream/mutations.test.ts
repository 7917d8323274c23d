import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UpstreamError } from '../../src/upstream/errors.ts';
import { type FakeUpstream, registryOf, shardedFiles, startUpstream } from '../fake-upstream.ts';
import { runs } from '../property-runs.ts';
import { fetchFrom, textOf } from './fetching.ts';

const files = shardedFiles([registryOf(2, 'a').skills, registryOf(2, 'b').skills]);
const paths = Object.keys(files);
const words = [
  'registry.json',
  '../registry.json',
  'registry-shards/00.json',
  'http://[',
  'file:///etc/passwd',
  '/',
  '?',
  '#',
];
const strange = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...words), fc.integer({ min: -2 }));

interface Mutation {
  path: string;
  /** Which of the values in the file, counted from the first. */
  at: number;
  value: unknown;
  how: 'replace' | 'drop' | 'cut' | 'whole';
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  path: fc.constantFrom(...paths),
  at: fc.nat({ max: 30 }),
  value: strange,
  how: fc.constantFrom('replace', 'drop', 'cut', 'whole'),
});

function mutate(text: string, { at, value, how }: Mutation): string {
  if (how === 'whole') return JSON.stringify(value);
  if (how === 'cut') return text.slice(0, (at * text.length) / 30);
  let seen = 0;
  const visit = (_key: string, found: unknown) => (seen++ === at ? (how === 'drop' ? undefined : value) : found);
  return JSON.stringify(JSON.parse(text), visit) ?? '';
}

describe('a registry in shards that is spoilt in any way', () => {
  let upstream: FakeUpstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterAll(() => upstream.close());

  test('is refused with a known error or is whole: every shard as its manifest says', async () => {
    const seen = new Set<string>();
    const check = async (one: Mutation) => {
      const spoilt = { ...files, [one.path]: mutate(files[one.path] ?? '', one) };
      upstream.serveFiles(spoilt);
      try {
        const fetched = await fetchFrom(upstream.url);
        if (fetched.status !== 'fetched') throw new Error(fetched.status);
        const { documents, recordDocuments } = fetched.files;
        const shards = documents.length === 1 ? [] : recordDocuments.map((at) => documents[at]);
        for (const shard of shards) expect(Object.values(files)).toContain(shard && textOf(shard));
        seen.add(documents.length === 1 ? 'one file' : 'shards');
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        seen.add(error.code);
      }
    };
    await fc.assert(fc.asyncProperty(mutation, check), { numRuns: runs(250), seed: 5 });
    const expected = ['one file', 'shards', 'bad_manifest', 'wrong_digest', 'http_status'];
    expect([...seen]).toEqual(expect.arrayContaining(expected));
  }, 120_000);
});
