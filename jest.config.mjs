import { availableParallelism } from 'node:os';

// Tests run as ES modules, types stripped by swc: TypeScript 7 has no JavaScript API for ts-jest.
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: './scripts/testing/jest-global-setup.ts',
  globalTeardown: './scripts/testing/jest-global-teardown.ts',
  testSequencer: './scripts/testing/jest-sequencer.ts',
  testMatch: ['**/*.test.ts'],
  // Builds and environments of clients have package.json files of their own.
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  // They take minutes each: `npm run test:long` runs them.
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'],
  // For a machine that is several times slower than most: tests that are about time have deadlines of their own.
  testTimeout: 120_000,
  // Most tests wait more than they compute.
  maxWorkers: availableParallelism() + 1,
};
