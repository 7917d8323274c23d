// A process of the runner: runs the test files that it is sent, one after the other. Each test file is loaded anew, the
// modules that it imports once.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type AssertionResult, createEmptyTestResult, type TestResult } from '@jest/test-result';
import type { Circus, Config } from '@jest/types';
import * as circus from 'jest-circus';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import supertest from 'supertest';
import { owned } from '../own.ts';
import { expect } from './globals.ts';

/** The reporter shows the times of slower files. */
const SLOW_MS = 5_000;

interface FileRun {
  path: string;
  config: Config.ProjectConfig;
  globalConfig: Config.GlobalConfig;
}

// The package itself throws outside of jest's default runner.
const GLOBALS = new URL('./globals.ts', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(name, context),
});

/** Rejections and exceptions that no test has handled, by their promises. */
const unhandled = new Map<unknown, Error>();
const keep = (error: unknown, promise: unknown) =>
  void unhandled.set(promise, error instanceof Error ? error : new Error(String(error)));
process.on('unhandledRejection', keep).on('uncaughtException', keep);
process.on('rejectionHandled', (promise) => unhandled.delete(promise));
process.on('disconnect', () => {
  for (const error of unhandled.values()) console.error('Unhandled after the last test:', error);
  process.exit(unhandled.size > 0 ? 1 : 0);
});
// A file that does not load is an error.
process.on('message', async (run: FileRun) => process.send?.(await runFile(run).catch((error: unknown) => error)));

// An expectation of supertest is an assertion, too.
const { expect: expectOfSupertest } = supertest.Test.prototype;
supertest.Test.prototype.expect = function (this: supertest.Test, ...args: unknown[]) {
  expect.setState({ assertionCalls: expect.getState().assertionCalls + 1 });
  return expectOfSupertest.apply(this, args as never);
};

const namesOf = ({ name, parent }: Circus.TestEntry | Circus.DescribeBlock): string[] =>
  parent === undefined ? [] : [...namesOf(parent), name];

circus.addEventHandler((event) => {
  if (event.name === 'test_start') {
    expect.setState({ currentTestName: namesOf(event.test).join(' '), suppressedErrors: [] });
    // Assertions of tests that run concurrently cannot be told apart.
    if (!event.test.concurrent) expect.hasAssertions();
  } else if (event.name === 'test_done') {
    const missing = expect.extractExpectedAssertionsErrors().map(({ error }) => error);
    if (event.test.errors.length === 0) event.test.errors.push(...missing);
  }
});

async function runFile({ path, config, globalConfig }: FileRun): Promise<TestResult> {
  circus.resetState();
  const { testNamePattern, randomize = false, seed } = globalConfig;
  const pattern = testNamePattern ? new RegExp(testNamePattern, 'i') : null;
  const { testTimeout } = globalConfig as { testTimeout?: number };
  Object.assign(circus.getState(), { testNamePattern: pattern, randomize, seed });
  circus.getState().testTimeout = testTimeout ?? config.testTimeout;
  const start = Date.now();
  circus.beforeEach(owned.startTest);
  circus.afterEach(owned.endTest);
  circus.afterAll(owned.endFile);
  await import(`${pathToFileURL(path)}?${start}`);
  const { testResults, unhandledErrorsDetailed } = await circus.run();
  // What the last test left behind is unhandled one turn later.
  await new Promise((resolve) => setImmediate(resolve));
  const errors = [...unhandledErrorsDetailed, ...unhandled.values()];
  unhandled.clear();
  const results = testResults.map(toAssertionResult);
  const count = (status: string) => results.filter((result) => result.status === status).length;
  const messages = [
    formatResultsErrors(results, config, globalConfig, path),
    ...errors.map((error) => formatExecError(error, config, globalConfig, path)),
  ].filter(Boolean);
  const end = Date.now();
  return {
    ...createEmptyTestResult(),
    testFilePath: path,
    testResults: results,
    numPassingTests: count('passed'),
    numFailingTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { ...createEmptyTestResult().perfStats, start, end, runtime: end - start, slow: end - start > SLOW_MS },
    failureMessage: messages.length > 0 ? messages.join('\n') : null,
    ...(errors.length > 0 && { testExecError: { message: '', stack: errors.map(({ stack }) => stack).join('\n') } }),
  };
}

function toAssertionResult({ testPath, errors, errorsDetailed, ...test }: Circus.TestResult): AssertionResult {
  const [, ...names] = testPath.map(String);
  const failed = errors.length > 0 ? 'failed' : 'passed';
  return {
    ancestorTitles: names.slice(0, -1),
    title: names.at(-1) ?? '',
    fullName: names.join(' '),
    status: test.status === 'skip' ? 'pending' : test.status === 'todo' ? 'todo' : failed,
    duration: test.duration,
    failureMessages: [...errors],
    failureDetails: [],
    numPassingAsserts: 0,
    invocations: test.invocations,
  };
}
