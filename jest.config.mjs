import { availableParallelism } from 'node:os';

/**
 * The runs of tests: their files, the minutes that each may take on a quiet machine of two cores, and how many files
 * run at a time on each core. The quick ones wait most: with two of them, a core was idle for 40 % of the time
 * (measured).
 */
const RUNS = {
  quick: { match: ['**/*.test.ts'], ignore: ['\\.(browser|long|night)\\.test\\.ts$'], minutes: 5, filesAtATime: 3 },
  browser: { match: ['**/*.browser.test.ts'], minutes: 3 },
  long: { match: ['**/*.long.test.ts'], minutes: 6 },
  compose: { match: ['**/*.test.ts'], ignore: ['\\.(long|night)\\.test\\.ts$'], minutes: 7 },
  night: { match: ['**/*.night.test.ts'], minutes: 120 },
};

const { match, ignore = [], minutes, filesAtATime = 2 } = RUNS[process.env.TESTS ?? 'quick'];

export default {
  // Node runs the files as they are, see scripts/testing/jest/runner.ts.
  transform: {},
  runner: [
    '<rootDir>/scripts/testing/jest/runner.ts',
    {
      // They take longest, and most of them wait: beside each other all would wait at once, at the end a run for them.
      slow: [
        'bench/load/constant-rate.long.test.ts',
        'scripts/checks/checks.test.ts',
        'e2e/fleet-command/fleet-command.test.ts',
        'e2e/identity.test.ts',
        'e2e/roles.test.ts',
        'e2e/time.test.ts',
        'e2e/work.test.ts',
        'gateway/src/auth/credentials/primary-proof.test.ts',
        'gateway/test/attacks/followed-requests.test.ts',
        'gateway/test/credentials/revocation.test.ts',
        'gateway/test/proxy/event-streams.test.ts',
        'gateway/test/proxy/hanging-replicas.test.ts',
        'services/agents/test/access/limited-leases.test.ts',
        'services/agents/test/clocks.test.ts',
        'services/agents/test/streams/logs.test.ts',
        'services/agents/test/workers.test.ts',
        'services/registry/test/redis-snapshot-store.test.ts',
        'clients/sdk/test/events.long.test.ts',
        'e2e/browser/live-stream.browser.test.ts',
        'e2e/browser/pages.browser.test.ts',
        'e2e/contract-under-faults.long.test.ts',
        'e2e/failovers.long.test.ts',
        'e2e/python-client/python-client.long.test.ts',
        'e2e/runtimes/kills.long.test.ts',
        'e2e/skills-command/skills-command.long.test.ts',
        'e2e/survival.long.test.ts',
        'e2e/worker.long.test.ts',
        'e2e/worker-protocol/worker-protocol.long.test.ts',
        'scripts/demo/demo.long.test.ts',
        'scripts/local/packages.long.test.ts',
        'services/agents/test/crash/append-only-file.long.test.ts',
        'services/registry/test/lost-snapshots.long.test.ts',
      ],
      // They change what all modules of a process share.
      ownProcess: ['services/registry/test/properties.long.test.ts'],
      // They measure times.
      alone: [
        'e2e/browser/conversations/many.night.test.ts',
        'e2e/browser/flood.night.test.ts',
        'e2e/browser/slow.night.test.ts',
        'e2e/enumeration.night.test.ts',
      ],
    },
  ],
  reporters: ['default', ['<rootDir>/scripts/testing/jest/reporter.ts', { minutes }]],
  globalSetup: '<rootDir>/e2e/harness/jest-setup.ts',
  globalTeardown: '<rootDir>/scripts/testing/jest/teardown.ts',
  testMatch: match,
  // Builds and environments of clients have package.json files of their own.
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  testPathIgnorePatterns: ['/node_modules/', ...ignore],
  // For a machine that is several times slower than most: tests that are about time have deadlines of their own.
  testTimeout: 120_000,
  maxWorkers: availableParallelism() * filesAtATime,
};
