import { createRequire } from 'node:module';

// Its types are wrong for `import`.
const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer');

/**
 * @public Starts the end-to-end tests first. They take longest, mostly by waiting, and their files are short: without
 * the times of an earlier run, jest would start them last and wait for them alone.
 */
export default class EndToEndFirst extends Sequencer {
  override async sort(tests: Parameters<InstanceType<typeof Sequencer>['sort']>[0]) {
    const isEndToEnd = ({ path }: { path: string }) => path.includes('/e2e/');
    return (await super.sort(tests)).toSorted((a, b) => Number(isEndToEnd(b)) - Number(isEndToEnd(a)));
  }
}
