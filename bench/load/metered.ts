import type { Stage } from '../stage/stage.ts';
import type { Figures } from './load.ts';

/** Cores that other processes may use during a round. */
const MAX_OTHERS = 0.2;
const MAX_REPEATS = 3;

export interface MeteredFigures extends Figures {
  /** Processor time per request. */
  processorUs: number;
}

/** Rounds so far, and those that count although other processes used more than a fifth of a core in all repeats. */
export interface Rounds {
  rounds: number;
  disturbed: number;
}

/** Also measures the processor time of `parts`. Repeats a load during which other processes were busy. */
export async function meter(
  stage: Stage,
  parts: string[],
  load: () => Promise<Figures>,
  counts: Rounds,
): Promise<MeteredFigures> {
  counts.rounds++;
  for (let repeats = 0; ; repeats++) {
    const before = await stage.processorTimes(parts);
    const startedMs = performance.now();
    const figures = await load();
    const after = await stage.processorTimes(parts);
    const others = (after.others - before.others) / ((performance.now() - startedMs) / 1_000);
    const isDisturbed = others > MAX_OTHERS;
    if (!isDisturbed || repeats === MAX_REPEATS) {
      if (isDisturbed) counts.disturbed++;
      return { ...figures, processorUs: ((after.parts - before.parts) / figures.requests) * 1e6 };
    }
    console.log(`  repeated: other processes took ${others.toFixed(2)} of a core`);
  }
}
