import { z } from 'zod';

/** `fields`: names of the fields that a list returns besides `id`. */
export function fieldsParameter(names: readonly string[], example: string) {
  const name = `(${names.join('|')})`;
  return z
    .string('must be given once')
    .transform((text) => text.split(','))
    .refine((given) => given.every((name) => names.includes(name)), `must be a list of ${names.join(', ')}`)
    .optional()
    .meta({
      type: 'string',
      pattern: `^${name}(,${name})*$`,
      description: `Only these fields and \`id\`, separated by commas: ${names.join(', ')}.`,
      example,
    });
}
