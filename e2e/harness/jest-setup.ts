import startRedis from '@agent-fleet/scripts/testing/jest/setup';
import { own } from '@agent-fleet/scripts/testing/own';
import type { Config } from '@jest/types';
import { withPages } from '../browser/support/site-options.ts';
import { writeRegistryFile } from '../spec/registry-file.ts';
import { LocalFleet } from './local-fleet.ts';
import { SHARED_TYPES, shareFleet } from './shared-fleet.ts';

const SIGN_IN_FAILURES_PER_ACCOUNT = '10';
/** Runs whose files share a fleet; those of the others break their own. */
const SHARING = ['quick', 'browser'];

/** @public The global set-up of all runs of tests: a Redis, and a fleet that end-to-end tests share. */
export default async function setup({ testPathPatterns }: Config.GlobalConfig): Promise<void> {
  await startRedis();
  const { E2E_BASE_URL, TESTS = 'quick' } = process.env;
  const isNeeded = !testPathPatterns.isSet() || testPathPatterns.patterns.some((pattern) => pattern.includes('e2e'));
  if (E2E_BASE_URL || !isNeeded || !SHARING.includes(TESTS)) return;
  const source = writeRegistryFile();
  own(source.remove);
  const log = { LOG_LEVEL: 'info' };
  const options = await withPages({
    env: {
      identity: { ...log, SIGN_IN_FAILURES_PER_ACCOUNT },
      agents: { ...log, AGENT_TYPES: SHARED_TYPES.join(',') },
      registry: { ...log, REGISTRY_SOURCE_URL: source.url },
      gateway: { ...log, TRUSTED_PROXIES: '127.0.0.1' },
    },
  });
  const fleet = await LocalFleet.start(options);
  own(() => fleet.close());
  shareFleet(fleet);
}
