const MAX_TIME = 2 ** 48 - 1;

/** A text that sorts after all ids of earlier times than this one in ms, and before the others. */
export function idPrefixAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_TIME).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * The id of the `at`th task (0 to 4095) of a batch: the batch id with `at` in its 12 bits `rand_a`. The ids sort by
 * position and are the same when the batch is created again.
 */
export function idInBatch(batchId: string, at: number): string {
  return `${batchId.slice(0, 15)}${at.toString(16).padStart(3, '0')}${batchId.slice(18)}`;
}
