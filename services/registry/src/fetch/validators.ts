import { z } from 'zod';

const VALIDATOR = z.object({ etag: z.string().nullable(), lastModified: z.string().nullable() });

/** The validators of one file. */
export type Validator = z.output<typeof VALIDATOR>;

/** The validators of the files of a source, for conditional requests; plain JSON. */
export const VALIDATORS = z.object({
  root: VALIDATOR,
  /** `key` is a hash of the manifest's URL, which may contain a secret. */
  manifest: VALIDATOR.extend({ key: z.string() }).optional(),
});

export type Validators = z.output<typeof VALIDATORS>;
