import { z } from 'zod';

/**
 * Allows null in the place of a schema with a name. zod-to-openapi publishes `.nullable()` of such a schema as a copy
 * without its name, or as a schema that does not allow null.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema, description?: string) {
  const union = z.union([schema, z.null()]);
  return description === undefined ? union : union.meta({ description });
}

/** RFC 3339 with any offset, in upper case. */
export const dateTimeSchema = z
  .string('must be an RFC 3339 date-time')
  // RFC 3339 allows `t` and `z`; zod does not.
  .transform((text) => text.toUpperCase())
  .pipe(z.iso.datetime({ offset: true, error: 'must be an RFC 3339 date-time' }));

/** RFC 3339 with any offset, or null; returned in UTC with milliseconds. */
export const timestampSchema = dateTimeSchema
  .transform((text) => new Date(text).toISOString())
  // Outside of the years 0000 to 9999 the ISO form has six digits and a sign, which RFC 3339 does not allow.
  .refine((text) => /^\d{4}-/.test(text), 'must be in the years 0000 to 9999 in UTC')
  .nullish();

/** zod-to-openapi would publish the type after the transform, not the accepted one. */
export const OPTIONAL_TIME = { type: ['string', 'null'] as const, format: 'date-time' };

const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu;

/** Counts Unicode code points, the unit of length in the API. */
function countCodePoints(text: string): number {
  return text.length - (text.match(ASTRAL)?.length ?? 0);
}

/** A text, in which a lone surrogate becomes U+FFFD: it has no form in UTF-8. All else is unchanged. */
export const anyTextSchema = z.string('must be a text').overwrite((text) => text.toWellFormed());

/** The same of `min` to `max` code points. */
export function textSchema(min: number, max: number) {
  const message = `must have ${min} to ${max} characters`;
  return anyTextSchema
    .refine((text) => text.length >= min && text.length <= 2 * max && countCodePoints(text) <= max, message)
    .meta({ minLength: min, maxLength: max });
}

/** What people call a record: 1 to 100 code points, not only blanks. */
export const nameSchema = textSchema(1, 100)
  .refine((name) => name === '' || name.trim() !== '', 'must not be blank')
  .meta({ description: 'Need not be unique.', minLength: 1, maxLength: 100 });
