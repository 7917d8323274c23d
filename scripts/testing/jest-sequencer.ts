import { createRequire } from 'node:module';

// Its types are wrong for `import`.
const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer');

/** Paths of the tests that take longest, although their files are short. */
const LONGEST = /\/e2e\/|\/(append-only-file|histories)\.long\.test\.ts$/;

/**
 * @public Starts the tests that take longest first: without the times of an earlier run, jest would start them last, by
 * the size of their files, and wait for them alone.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Parameters<InstanceType<typeof Sequencer>['sort']>[0]) {
    const isLongest = ({ path }: { path: string }) => LONGEST.test(path);
    return (await super.sort(tests)).toSorted((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
  }
}
