import { own } from '@agent-fleet/scripts/testing/own';
import { expect, jest, test } from '@jest/globals';
import { buildSnapshot } from '../../src/build/build.ts';
import { Builder, type BuilderOptions } from '../../src/build/builder.ts';
import type { BuildInput } from '../../src/build/built-snapshot.ts';
import { skillsOf, sourceOf, textOf } from './packed-files.ts';

// Each build starts a thread, which is slow on a busy machine.
jest.setTimeout(120_000);

const never = new AbortController().signal;
const registry = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `skill-${at}`,
    description: `Does thing ${at}`,
    tags: ['x', `t${at}`],
  }));
const inputOf = (count: number): BuildInput => ({ sources: [sourceOf('a', registry(count))] });

const create = (options?: BuilderOptions) => {
  const builder = new Builder(undefined, options);
  own(() => builder.close());
  return builder;
};

test('a builder builds the same snapshot in a thread, and leaves its input unchanged', async () => {
  const input = inputOf(300);
  const expected = buildSnapshot(input);
  const built = await create().build(input, never);
  expect(skillsOf(built)).toEqual(skillsOf(expected));
  expect(textOf(built.categories)).toBe(textOf(expected.categories));
  expect(Array.from(built.identities.fingerprints)).toEqual(Array.from(expected.identities.fingerprints));
  expect(built.report).toEqual(expected.report);
  expect(input.sources[0]?.files.documents[0]?.packed.byteLength).toBeGreaterThan(0);
  expect(skillsOf(buildSnapshot(input))).toEqual(skillsOf(expected));
});

test('a builder builds one snapshot after another, also after a refused one', async () => {
  const builder = create();
  const [first, refused, last] = await Promise.allSettled([
    builder.build(inputOf(2), never),
    builder.build({ sources: [sourceOf('a', '<html>')] }, never),
    builder.build(inputOf(3), never),
  ]);
  expect(first).toMatchObject({ status: 'fulfilled', value: { counts: { skills: 2 } } });
  expect(refused).toMatchObject({ status: 'rejected', reason: { name: 'UpstreamError', code: 'html' } });
  expect(last).toMatchObject({ status: 'fulfilled', value: { counts: { skills: 3 } } });
});

test('a builder refuses builds beyond the length of its queue', async () => {
  const builder = create();
  const builds = Array.from({ length: 12 }, () => builder.build(inputOf(1), never));
  const outcomes = await Promise.allSettled(builds);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(8);
  for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'build_failed' } });
});

test('a builder reports a damaged document as a failed build, without details', async () => {
  const source = sourceOf('a', registry(3));
  const documents = source.files.documents.map((document) => ({ ...document, digest: '0'.repeat(64) }));
  const input = { sources: [{ ...source, files: { ...source.files, documents } }] };
  const message = 'The build of the snapshot failed';
  await expect(create().build(input, never)).rejects.toMatchObject({ code: 'build_failed', message });
});

test('a builder builds anew if the snapshot before is damaged, and finds the changes all the same', async () => {
  const builder = create();
  const { records, ...previous } = await builder.build(inputOf(3), never);
  const damaged = { ...previous, records: { ...records, chunks: [] } };
  const built = await builder.build({ ...inputOf(4), previous: damaged }, never);
  expect(built.counts.skills).toBe(4);
  expect(built.difference?.added.length).toBe(1);
});

test('a builder survives a thread that runs out of memory', async () => {
  const builder = create({ heapMegabytes: 4 });
  await expect(builder.build(inputOf(50_000), never)).rejects.toMatchObject({ code: 'build_failed' });
  expect(await create().build(inputOf(1), never)).toMatchObject({ counts: { skills: 1 } });
});

test('a builder aborts a build after a deadline', async () => {
  const failed = create({ deadlineMs: 1 }).build(inputOf(20_000), never);
  await expect(failed).rejects.toMatchObject({
    code: 'build_failed',
    message: expect.stringContaining('longer than'),
  });
});

test('a builder aborts a build on request, running or waiting', async () => {
  const builder = create();
  const [running, waiting] = [new AbortController(), new AbortController()];
  const builds = [builder.build(inputOf(20_000), running.signal), builder.build(inputOf(1), waiting.signal)];
  waiting.abort(new Error('no need to wait'));
  await expect(builds[1]).rejects.toThrow('no need to wait');
  setTimeout(() => running.abort(new Error('no need to run')), 30);
  await expect(builds[0]).rejects.toThrow('no need to run');
  expect(await builder.build(inputOf(1), never)).toMatchObject({ counts: { skills: 1 } });
});

test('a builder that is closed aborts all builds, and begins no more', async () => {
  const builder = create();
  const builds = [builder.build(inputOf(20_000), never), builder.build(inputOf(1), never)];
  const outcomes = Promise.allSettled(builds);
  await builder.close();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(builder.build(inputOf(1), never)).rejects.toThrow('closed');
});
