import { afterEach, beforeEach } from '@jest/globals';
import { runWorker, type Worker, type WorkerOptions } from '../../src/index.ts';
import { TestFleet } from './test-fleet.ts';

/** A worker, and what it logged. */
export interface TestWorker extends Worker {
  lines: string[];
}

/** Provides each test with a fleet, and stops the workers that it started. */
export function useFleet() {
  const context = {
    fleet: undefined as unknown as TestFleet,
    work(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'handler'>): TestWorker {
      const lines: string[] = [];
      const log = (line: string) => void lines.push(line);
      const logger = { info: log, warn: log, error: log };
      const worker = runWorker({ url: context.fleet.url, apiKey: 'key', logger, stopTimeoutSeconds: 5, ...options });
      // Tests that expect a rejection await it themselves.
      worker.done.catch(() => {});
      workers.push(worker);
      return { ...worker, lines };
    },
  };
  const workers: Worker[] = [];
  beforeEach(async () => {
    context.fleet = await TestFleet.start();
  });
  afterEach(async () => {
    const stopped = workers.splice(0).map((worker) => worker.stop());
    await Promise.all(stopped);
    await context.fleet.close();
  });
  return context;
}

/** A promise that a test resolves. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: () => resolve() };
}

/** Waits for the signal of a handler. @throws its reason */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason));
  signal.throwIfAborted();
  return promise;
}
