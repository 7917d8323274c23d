import { z } from 'zod';

/**
 * Allows null in the place of a schema with a name. zod-to-openapi publishes `.nullable()` of such a schema as a copy
 * without its name, or as a schema that does not allow null.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema, description?: string) {
  const union = z.union([schema, z.null()]);
  return description === undefined ? union : union.meta({ description });
}
