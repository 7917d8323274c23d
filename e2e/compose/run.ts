import type { Scorecard } from './scorecard.ts';
import type { Scene } from './under-load.ts';

export interface Run {
  scene: Scene;
  scorecard: Scorecard;
  folder: string;
  signal: AbortSignal;
  /** Whether everything is checked, each change by itself, as long as it takes. */
  isNight: boolean;
}
