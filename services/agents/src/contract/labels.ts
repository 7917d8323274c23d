import { z } from 'zod';

const LABEL = /^[a-z\d][a-z\d._:/-]{0,62}$/;

/** Names of what a worker has, or a task needs of it; each once. */
export function labelsSchema(max: number) {
  return z
    .array(
      z.string('must be a text').regex(LABEL, 'must be a label: a-z, 0-9 and . _ : / -, at most 63'),
      'must be a list',
    )
    .max(max, `must have at most ${max} labels`)
    .transform((labels) => [...new Set(labels)]);
}
