import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { buildSnapshot } from '../../src/building/build.ts';
import type { BuildInput } from '../../src/building/build-input.ts';
import { Builder, type BuilderOptions } from '../../src/building/builder.ts';
import { skillsOf, sourceOf } from './packed-files.ts';

// Each build starts a thread, which takes long on a busy machine.
jest.setTimeout(120_000);

const never = new AbortController().signal;
const registry = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `skill-${at}`,
    description: `Does thing ${at}`,
    tags: ['x', `t${at}`],
  }));
const inputOf = (count: number): BuildInput => ({ sources: [sourceOf('a', registry(count))] });

describe('a builder', () => {
  const builders: Builder[] = [];
  const create = (options?: BuilderOptions) => {
    const builder = new Builder(undefined, options);
    builders.push(builder);
    return builder;
  };
  afterEach(async () => {
    await Promise.all(builders.splice(0).map((builder) => builder.close()));
  });

  test('builds in a thread what is built here, and leaves its input as it is', async () => {
    const input = inputOf(300);
    const expected = buildSnapshot(input);
    const built = await create().build(input, never);
    expect(skillsOf(built)).toEqual(skillsOf(expected));
    expect(Buffer.from(built.bodies.list.br).equals(expected.bodies.list.br)).toBe(true);
    expect(Array.from(built.identities.fingerprints)).toEqual(Array.from(expected.identities.fingerprints));
    expect(built.report).toEqual(expected.report);
    expect(built.bodies.list.identity.buffer).toBe(built.skills.list.buffer);
    expect(input.sources[0]?.files.documents[0]?.packed.byteLength).toBeGreaterThan(0);
    expect(buildSnapshot(input).bodies.list.digest).toBe(expected.bodies.list.digest);
  });

  test('takes packed bytes in shared memory as they are', async () => {
    const source = sourceOf('a', registry(3));
    const document = source.files.documents[0] as NonNullable<(typeof source.files.documents)[0]>;
    const shared = new Uint8Array(new SharedArrayBuffer(document.packed.length));
    shared.set(document.packed);
    const files = { ...source.files, documents: [{ ...document, packed: shared }] };
    expect(skillsOf(await create().build({ sources: [{ ...source, files }] }, never))).toHaveLength(3);
  });

  test('builds one after another whatever becomes of the one before', async () => {
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

  test('refuses more builds than it lets wait', async () => {
    const builder = create();
    const builds = Array.from({ length: 12 }, () => builder.build(inputOf(1), never));
    const outcomes = await Promise.allSettled(builds);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(8);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'build_failed' } });
  });

  test('says that the build failed when a document is damaged, and nothing of how', async () => {
    const source = sourceOf('a', registry(3));
    const documents = source.files.documents.map((document) => ({ ...document, digest: '0'.repeat(64) }));
    const input = { sources: [{ ...source, files: { ...source.files, documents } }] };
    const message = 'The build of the snapshot failed';
    await expect(create().build(input, never)).rejects.toMatchObject({ code: 'build_failed', message });
  });

  test('survives a thread that runs out of memory', async () => {
    const builder = create({ heapMegabytes: 4 });
    await expect(builder.build(inputOf(50_000), never)).rejects.toMatchObject({ code: 'build_failed' });
    expect(await create().build(inputOf(1), never)).toMatchObject({ counts: { skills: 1 } });
  });

  test('ends a build that takes too long', async () => {
    const failed = create({ deadlineMs: 1 }).build(inputOf(20_000), never);
    await expect(failed).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringContaining('longer than'),
    });
  });

  test('ends a build when it is told to, running or waiting', async () => {
    const builder = create();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const builds = [builder.build(inputOf(20_000), running.signal), builder.build(inputOf(1), waiting.signal)];
    waiting.abort(new Error('no need to wait'));
    await expect(builds[1]).rejects.toThrow('no need to wait');
    setTimeout(() => running.abort(new Error('no need to run')), 30);
    await expect(builds[0]).rejects.toThrow('no need to run');
    expect(await builder.build(inputOf(1), never)).toMatchObject({ counts: { skills: 1 } });
  });

  test('ends all builds when it is closed, and begins no more', async () => {
    const builder = create();
    const builds = [builder.build(inputOf(20_000), never), builder.build(inputOf(1), never)];
    const outcomes = Promise.allSettled(builds);
    await builder.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(builder.build(inputOf(1), never)).rejects.toThrow('closed');
  });
});
