import type { JsonObject } from '../json-object.ts';

export type SecurityRequirement = Record<string, string[]>;

/** One document of the combined one. */
export interface Part {
  /** Letters and digits; prefixes names that collide. */
  name: string;
  document: unknown;
  /** Whether a path of the part is included. */
  accepts(path: string): boolean;
  /** The security of a path; overrides the document's own. */
  security?(path: string): SecurityRequirement[];
  /** Responses added to those of each operation, by status. */
  responses?(path: string): JsonObject;
}
