import { parentPort, workerData } from 'node:worker_threads';
import { shareArrays } from '../memory/arrays.ts';
import { buildSnapshot } from './build.ts';
import type { BuildOutcome } from './built-snapshot.ts';
import { NoUsableSource } from './source-choice.ts';

/** One build per thread, so that all of its memory is freed. */
function run(): void {
  try {
    const snapshot = buildSnapshot(workerData);
    shareArrays(snapshot);
    post({ status: 'built', snapshot });
  } catch (error) {
    if (error instanceof NoUsableSource) post({ status: 'refused', refusals: error.refusals });
    else post({ status: 'failed', message: error instanceof Error ? `${error.stack}` : String(error) });
  }
}

function post(message: BuildOutcome): void {
  parentPort?.postMessage(message);
}

run();
