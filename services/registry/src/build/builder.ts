import { aborted } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@agent-fleet/shared/logger';
import { toSharedBytes } from '../memory/arrays.ts';
import { UpstreamError } from '../source/errors.ts';
import type { BuildInput, BuildOutcome, BuiltSnapshot } from './built-snapshot.ts';
import { NoUsableSource } from './source-choice.ts';

const WORKER = new URL('./worker.ts', import.meta.url);
const DEADLINE_MS = 120_000;
/** New objects die soon: a larger young generation would only take memory. */
const YOUNG_HEAP_MEGABYTES = 24;
/** Maximum length of the queue. */
const MAX_WAITING = 8;

export interface BuilderOptions {
  /** For one build; default 120 s. */
  deadlineMs?: number;
  /** Heap of the worker thread without typed arrays; default 512. */
  heapMegabytes?: number;
}

/** Builds snapshots one at a time, each in a worker thread. */
export class Builder {
  readonly #logger: Logger | undefined;
  readonly #options: Required<BuilderOptions>;
  readonly #closing = new AbortController();
  #lastTurn: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(logger?: Logger, { deadlineMs = DEADLINE_MS, heapMegabytes = 512 }: BuilderOptions = {}) {
    this.#logger = logger;
    this.#options = { deadlineMs, heapMegabytes };
  }

  /**
   * Builds a snapshot when its turn comes, anew if taking over from the one before fails. Moves the packed bytes of
   * `input` to shared memory. Rejects with the reason of `signal` when that aborts, or when the builder is closed.
   * @throws NoUsableSource
   * @throws UpstreamError `build_failed` for damaged documents, a defect, a lack of memory or time, or a full queue
   */
  async build(input: BuildInput, signal: AbortSignal): Promise<BuiltSnapshot> {
    if (this.#waiting === MAX_WAITING) throw new UpstreamError('build_failed', 'Too many builds are queued');
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    const turn = Promise.withResolvers<void>();
    const before = this.#lastTurn;
    this.#lastTurn = before.then(() => turn.promise);
    this.#waiting++;
    try {
      await Promise.race([before, aborted(stop, turn)]).finally(() => this.#waiting--);
      stop.throwIfAborted();
      await shareInput(input);
      stop.throwIfAborted();
      return await this.#run(input, stop).catch((error: unknown) => {
        const isRepeatable = input.previous && error instanceof UpstreamError && error.code === 'build_failed';
        if (!isRepeatable) throw error;
        // A defect of what is taken over would stop all refreshes until the next start.
        this.#logger?.warn('building the snapshot anew');
        return this.#run({ ...input, isAnew: true }, stop);
      });
    } finally {
      turn.resolve();
    }
  }

  /** Aborts running and queued builds. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The builder is closed'));
    await this.#lastTurn;
  }

  async #run(input: BuildInput, stop: AbortSignal): Promise<BuiltSnapshot> {
    const { deadlineMs, heapMegabytes } = this.#options;
    const worker = new Worker(WORKER, {
      name: 'registry-build',
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_HEAP_MEGABYTES },
    });
    const deadline = AbortSignal.timeout(deadlineMs);
    const end = () => void worker.terminate();
    const either = AbortSignal.any([stop, deadline]);
    either.addEventListener('abort', end, { once: true });
    try {
      const message = await outcomeOf(worker);
      if (message.status === 'built') return message.snapshot;
      if (message.status === 'refused') throw new NoUsableSource(message.refusals);
      this.#logger?.error({ err: new Error(message.message) }, 'failed to build a snapshot');
      throw new Error(message.message);
    } catch (error) {
      stop.throwIfAborted();
      if (error instanceof UpstreamError) throw error;
      const what = deadline.aborted ? `took longer than ${deadlineMs / 1_000} s` : 'failed';
      throw new UpstreamError('build_failed', `The build of the snapshot ${what}`, error);
    } finally {
      either.removeEventListener('abort', end);
    }
  }
}

/** Resolves when the worker has ended, as its memory is free only then. */
function outcomeOf(worker: Worker): Promise<BuildOutcome> {
  return new Promise((resolve, reject) => {
    let outcome: BuildOutcome | undefined;
    worker.once('message', (message: BuildOutcome) => {
      outcome = message;
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (outcome) resolve(outcome);
      else reject(new Error(`The worker ended with ${code}`));
    });
  });
}

/** Moves the packed bytes of all documents to shared memory if needed. */
export async function shareInput({ sources }: BuildInput): Promise<void> {
  for (const { files, fallback } of sources) {
    for (const document of [...files.documents, ...(fallback?.documents ?? [])]) {
      if (document.packed.buffer instanceof SharedArrayBuffer) continue;
      document.packed = await toSharedBytes([document.packed]);
    }
  }
}
