import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTS, type Plant, plantNamed } from './plants/plants.ts';
import { runPicture } from './run.ts';

const PRELOAD = fileURLToPath(new URL('./plants/preload.ts', import.meta.url));
/** Longer than a lease of the workers and its retries. */
const DRAIN_MS = 15_000;

export const PLANT_NAMES = Object.keys(PLANTS);

/** Runs a fleet with a planted fault; resolves with why the checker has not found it, or undefined when it has. */
export async function findPlanted(
  name: string,
  { seed, dir, say }: { seed: number; dir: string; say: (line: string) => void },
): Promise<string | undefined> {
  const { picture, kinds, seconds, violation } = plantNamed(name) as Plant;
  const planted = { nodeArgs: ['--import', PRELOAD], env: { E2E_FAULTS_PLANT: name } };
  const options = { picture, kinds, seconds, seed, planted, say: () => {}, drainMs: DRAIN_MS };
  const { violations } = await runPicture({ ...options, dir: join(dir, name) });
  const found = violations.find((one) => violation.test(one));
  if (found !== undefined) {
    say(`found: ${found.slice(0, 300)}`);
    return undefined;
  }
  return `not found; ${violations.length} other violations: ${violations.slice(0, 3).join('\n')}`;
}
