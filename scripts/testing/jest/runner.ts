import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Test, TestContext, TestResult } from '@jest/test-result';
import type { Config } from '@jest/types';

export interface RunnerOptions {
  /** Files that take long, by the end of their paths: half of the lanes begin with them. */
  slow: readonly string[];
  /** Files that need a process of their own. */
  ownProcess: readonly string[];
  /** Files beside which no other may run. */
  alone: readonly string[];
}

type Watcher = { isInterrupted(): boolean };
type OnStart = (test: Test) => Promise<void>;
type OnResult = (test: Test, result: TestResult) => Promise<void>;
type OnFailure = (test: Test, error: Error) => Promise<void>;
type Report = { watcher: Watcher; onStart: OnStart; onResult: OnResult; onFailure: OnFailure };

/**
 * A runner for jest that runs files in processes which load each module once, by Node itself: jest's own loads all of
 * them anew for each file, which took two thirds of the time (measured). Their order is that of a hash with the seed.
 */
export default class Runner {
  readonly #globalConfig: Config.GlobalConfig;
  readonly #options: RunnerOptions;

  constructor(globalConfig: Config.GlobalConfig, _context: TestContext, options: RunnerOptions) {
    this.#globalConfig = globalConfig;
    this.#options = options;
  }

  async runTests(tests: Test[], watcher: Watcher, onStart: OnStart, onResult: OnResult, onFailure: OnFailure) {
    const { seed, maxWorkers } = this.#globalConfig;
    const isIn =
      (list: readonly string[]) =>
      ({ path }: Test) =>
        list.some((end) => path.endsWith(end));
    const isAlone = isIn(this.#options.alone);
    const isOwn = isIn(this.#options.ownProcess);
    const isSlow = isIn(this.#options.slow);
    const place = ({ path }: Test) => createHash('sha1').update(`${seed}${path}`).digest().readUInt32BE();
    const shuffled = tests.toSorted((a, b) => place(a) - place(b));
    const report = { watcher, onStart, onResult, onFailure };
    const slow = shuffled.filter((test) => isSlow(test) && !isAlone(test));
    const others = shuffled.filter((test) => !isSlow(test) && !isAlone(test));
    const lanes = Array.from({ length: maxWorkers }, (_, at) =>
      this.#work(at + 1, at % 2 === 0 ? [others, slow] : [slow, others], isOwn, report),
    );
    await Promise.all(lanes);
    await this.#work(1, [shuffled.filter(isAlone)], () => true, report);
  }

  /** Runs the first file of the first queue that has one, until all are empty. */
  async #work(
    lane: number,
    queues: Test[][],
    needsOwn: (test: Test) => boolean,
    { watcher, onStart, onResult, onFailure }: Report,
  ): Promise<void> {
    let shared = new Worker(lane);
    const next = () => queues.find(({ length }) => length > 0)?.shift();
    for (let test = next(); test !== undefined && !watcher.isInterrupted(); test = next()) {
      const worker = needsOwn(test) ? new Worker(lane) : shared;
      await onStart(test);
      try {
        await onResult(test, await worker.run(test, this.#globalConfig));
        if (worker !== shared) await worker.end();
      } catch (error) {
        worker.kill();
        await onFailure(test, error as Error);
        if (worker === shared) shared = new Worker(lane);
      }
    }
    await shared.end();
  }
}

class Worker {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;

  /** `lane`: no other process that runs at the same time has this number. */
  constructor(lane: number) {
    const env = { ...process.env, JEST_WORKER_ID: String(lane) };
    this.#child = fork(new URL('./worker.ts', import.meta.url), { env, serialization: 'advanced' });
    this.#exited = once(this.#child, 'exit');
  }

  async run({ path, context }: Test, globalConfig: Config.GlobalConfig): Promise<TestResult> {
    const ended = this.#exited.then(([code, signal]) => {
      throw new Error(`The process of the test ended with ${signal ?? code}`);
    });
    ended.catch(() => undefined);
    this.#child.send({ path, config: context.config, globalConfig });
    const [result] = (await Promise.race([once(this.#child, 'message'), ended])) as [TestResult | Error];
    if (result instanceof Error) throw result;
    return result;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const [code] = await this.#exited;
    if (code !== 0) throw new Error(`A process of tests ended with ${code}`);
  }
}
