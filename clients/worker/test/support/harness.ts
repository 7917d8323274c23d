import { afterAll, afterEach } from '@jest/globals';
import { runWorker, type Worker, type WorkerOptions } from '../../src/index.ts';
import { FakeFleet } from './fake-fleet.ts';

/** A worker and its log. */
export interface TestWorker extends Worker {
  lines: string[];
}

/** Provides each test with an empty fleet, and stops the workers that it started. */
export async function useFleet() {
  const fleet = await FakeFleet.start();
  const workers: Worker[] = [];
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await fleet.reset();
  });
  afterAll(() => fleet.down());

  return {
    fleet,
    work(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'handler'>): TestWorker {
      const lines: string[] = [];
      const log = (line: string) => void lines.push(line);
      const logger = { info: log, warn: log, error: log };
      const worker = runWorker({ url: fleet.url, apiKey: 'key', logger, stopTimeoutSeconds: 5, ...options });
      // Tests that expect a rejection await it themselves.
      worker.done.catch(() => {});
      workers.push(worker);
      return { ...worker, lines };
    },
  };
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
