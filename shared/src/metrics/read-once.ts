import { setTimeout as sleep } from 'node:timers/promises';

/** A scrape does not wait longer for Redis. */
const DEADLINE_MS = 1_000;

/**
 * Shares one run of `read` among the metrics of a scrape, which all ask in one turn. Undefined when it fails or takes
 * longer than a second: the scrape then lacks these values.
 */
export function readOnce<Result>(read: () => Promise<Result>): () => Promise<Result | undefined> {
  let running: Promise<Result | undefined> | undefined;

  async function run(): Promise<Result | undefined> {
    try {
      return await Promise.race([read(), sleep(DEADLINE_MS, undefined, { ref: false })]);
    } catch {
      return undefined;
    } finally {
      running = undefined;
    }
  }

  return () => {
    running ??= run();
    return running;
  };
}
