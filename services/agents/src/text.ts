import { z } from 'zod';

const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu;

/** Counts Unicode code points, the unit of length in the API. */
function countCodePoints(text: string): number {
  return text.length - (text.match(ASTRAL)?.length ?? 0);
}

/** A text of `min` to `max` code points, unchanged. */
export function textSchema(min: number, max: number) {
  const message = `must have ${min} to ${max} characters`;
  return z
    .string('must be a text')
    .refine((text) => text.length >= min && text.length <= 2 * max && countCodePoints(text) <= max, message)
    .meta({ minLength: min, maxLength: max });
}
