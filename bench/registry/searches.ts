import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_ENVIRONMENT } from '@agent-fleet/scripts/services';
import type { Stage } from '../stage/stage.ts';
import { SEED } from './registry-stage.ts';

const PROGRAM = join(import.meta.dirname, 'search-process.ts');
const TIMEOUT_MS = 300_000;
const COUNT = 5_000;

/** Input of the process. */
export interface SearchSettings {
  seed: number;
  skills: number;
  /** Number of searches. */
  count: number;
}

export interface Searches {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Median number of matches per search. */
  medianMatches: number;
  /** Cores of the machine. */
  cores: number;
}

/** How long does a search with two common words, a category and all facets take in the process, without HTTP? */
export async function measureSearches({ signal }: Pick<Stage, 'signal'>, skills: number): Promise<Searches> {
  const settings: SearchSettings = { seed: SEED, skills, count: COUNT };
  const args = [PROGRAM, JSON.stringify(settings)];
  const options = { signal, timeout: TIMEOUT_MS, env: { ...process.env, ...NODE_ENVIRONMENT } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  const searches = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Searches;
  const { p50Ms, p99Ms, maxMs, medianMatches } = searches;
  console.log(`  searches: ${[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(2)).join(', ')} ms, ${medianMatches} found`);
  return searches;
}
