import { z } from 'zod';

const MAX_QUERY = 200;

/** `q`: words that are searched, in any case. An empty one is no filter. */
export function wordsParameter(description: string) {
  return z
    .string('must be given once')
    .max(MAX_QUERY, `must have at most ${MAX_QUERY} characters`)
    .transform((text) => text.trim() || undefined)
    .optional()
    .meta({ type: 'string', maxLength: MAX_QUERY, description });
}

/** The words of `q` in lower case. */
export function toWords(q: string | undefined): string[] {
  return q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
}
