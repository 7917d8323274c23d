import { expect, test } from '@jest/globals';
import { buildSnapshot } from '../../src/build/build.ts';
import type { BuildSource } from '../../src/build/built-snapshot.ts';
import { UpstreamError } from '../../src/source/errors.ts';
import { filesOf, shardedFilesOf, skillsOf, sourceOf, textOf } from './packed-files.ts';

const skills = (count: number, prefix = 'skill') =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix}-${at}` }));
const build = (...sources: BuildSource[]) => buildSnapshot({ sources });
const codeOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error instanceof UpstreamError ? error.code : error;
  }
  return undefined;
};

test.each([[], [1, 2, 3]])('a source without usable records is refused as empty: %j', (...records) => {
  expect(codeOf(() => build(sourceOf('a', records)))).toBe('empty');
});

test('a source is refused as shrunk when it has fewer than half of the records before', () => {
  const before = (previousSkills: number) => () => build(sourceOf('a', skills(5), { previousSkills }));
  expect(codeOf(before(10))).toBeUndefined();
  expect(codeOf(before(11))).toBe('shrunk');
});

test('a source is refused as mostly rejected when more than a fifth of its records are rejected', () => {
  expect(codeOf(() => build(sourceOf('a', [...skills(8), 1, 2])))).toBeUndefined();
  expect(codeOf(() => build(sourceOf('a', [...skills(7), 1, 2])))).toBe('mostly_rejected');
});

test('a source is refused when a shard or all shards have another count than the manifest', () => {
  const sharded = (counts: number[] | undefined, totalCount: number | undefined) => () =>
    build({
      label: 'a',
      isAccepted: true,
      files: shardedFilesOf([skills(2), skills(3, 'other')], { counts, totalCount }),
    });
  expect(codeOf(sharded([2, 3], 5))).toBeUndefined();
  expect(codeOf(sharded(undefined, undefined))).toBeUndefined();
  expect(codeOf(sharded([2, 4], 5))).toBe('wrong_count');
  expect(codeOf(sharded([2, 3], 6))).toBe('wrong_count');
});

test('a source that repeats few skills many times is refused as shrunk', () => {
  const same = Array.from({ length: 9 }, () => ({ name: 'same', repo: 'o/r', path: 'same' }));
  expect(codeOf(() => build(sourceOf('a', same, { previousSkills: 8 })))).toBe('shrunk');
  expect(codeOf(() => build(sourceOf('a', same, { previousSkills: 2 })))).toBeUndefined();
});

test('an accepted source may be empty, shrunk or mostly rejected, but not unreadable', () => {
  const accepted = { isAccepted: true, previousSkills: 100 };
  for (const content of [[], [1, 2], skills(1), [...skills(1), 1, 2, 3]]) {
    expect(codeOf(() => build(sourceOf('a', content, accepted)))).toBeUndefined();
  }
  expect(codeOf(() => build(sourceOf('a', '<html>', accepted)))).toBe('html');
  expect(codeOf(() => build(sourceOf('a', '', accepted)))).toBe('empty');
  expect(skillsOf(build(sourceOf('a', [], accepted)))).toEqual([]);
});

const refused = sourceOf('bad', [{ name: 'stranger', category: 'Strange', tags: ['odd'] }, 1, 2]);
const good = sourceOf('good', [{ name: 'known', category: 'STRANGE', tags: ['ODD'] }]);

test('a refused source adds nothing to the snapshot except its refusal in the report', () => {
  const built = build(refused, good);
  const alone = build(good);
  expect(skillsOf(built)).toEqual(skillsOf(alone));
  expect(textOf(built.categories)).toBe(textOf(alone.categories));
  expect(built.counts).toEqual(alone.counts);
  expect(built.search).toEqual(alone.search);
  expect(built.report).toMatchObject({ rejectedCount: 0, rejected: [], rejections: [] });
  const { files } = refused;
  expect(built.report.sources).toEqual([
    {
      label: 'bad',
      digest: undefined,
      records: 0,
      skills: 0,
      rejected: 0,
      missing: 0,
      refused: { digest: files.digest, code: 'mostly_rejected', message: expect.stringContaining('2') },
    },
    { label: 'good', digest: good.files.digest, records: 1, skills: 1, rejected: 0, missing: 0, refused: undefined },
  ]);
});

test('a refused source is replaced by its fallback, which is not checked', () => {
  const fallback = filesOf([{ name: 'before' }, 1, 2]);
  const built = build({ ...refused, fallback, previousSkills: 100 }, good);
  expect(skillsOf(built).map(({ name }) => name)).toEqual(['before', 'known']);
  expect(built.report.sources[0]).toMatchObject({
    digest: fallback.digest,
    records: 1,
    rejected: 2,
    refused: { digest: refused.files.digest, code: 'shrunk' },
  });
  expect(built.report.rejected).toMatchObject([
    { index: 1, source: 'bad' },
    { index: 2, source: 'bad' },
  ]);
});

test('a good source is read twice, however many others are refused', () => {
  let reads = 0;
  const files = {
    ...good.files,
    get recordDocuments() {
      reads++;
      return good.files.recordDocuments;
    },
  };
  const readsBeside = (count: number) => {
    reads = 0;
    const others = Array.from({ length: count }, (_, at) => ({ ...refused, label: `bad ${at}` }));
    const built = build({ ...good, files }, ...others);
    expect(built.report.sources.filter((source) => source.refused)).toHaveLength(count);
    return reads;
  };
  const once = readsBeside(0);
  expect([readsBeside(1), readsBeside(40)]).toEqual([once * 2, once * 2]);
});

test('a refused source adds no skills to the snapshot when its fallback is unreadable', () => {
  const built = build({ ...refused, fallback: filesOf('<html>') }, good);
  expect(skillsOf(built).map(({ name }) => name)).toEqual(['known']);
  expect(built.report.sources[0]).toMatchObject({ refused: { code: 'mostly_rejected' }, records: 0 });
});

test('the records of all shards have consecutive numbers', () => {
  const files = shardedFilesOf([
    [...skills(4), 1],
    [...skills(4, 'other'), 2],
  ]);
  const { report } = build({ label: 'a', files, isAccepted: false });
  expect(report.rejected).toMatchObject([{ index: 4 }, { index: 9 }]);
  expect(report.rejections).toEqual([{ code: 'not_an_object', count: 2 }]);
});
