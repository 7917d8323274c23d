import { z } from 'zod';

const VALIDATOR = z.object({ etag: z.string().nullable(), lastModified: z.string().nullable() });

/** What was said of the bytes of one file when they were read. */
export type Validator = z.output<typeof VALIDATOR>;

/** What was said of the files of a source when they were fetched, for conditional requests; plain JSON. */
export const VALIDATORS = z.object({
  root: VALIDATOR,
  /** `key` names the manifest's address without saying it: that may hold a secret. */
  manifest: VALIDATOR.extend({ key: z.string() }).optional(),
});

export type Validators = z.output<typeof VALIDATORS>;
