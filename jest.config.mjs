import { availableParallelism } from 'node:os';

export default {
  testEnvironment: 'node',
  runner: ['<rootDir>/scripts/testing/jest/runner.ts', { ownProcess: [], alone: [] }],
  transform: {},
  globalSetup: './scripts/testing/jest-global-setup.ts',
  globalTeardown: './scripts/testing/jest-global-teardown.ts',
  testMatch: ['**/*.test.ts'],
  // Builds and environments of clients have package.json files of their own.
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'],
  testTimeout: 120_000,
  showSeed: true,
  maxWorkers: availableParallelism() + 1,
};
