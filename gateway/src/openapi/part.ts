import type { JsonObject } from '@agent-fleet/shared/contract/json-object';

export type SecurityRequirement = Record<string, string[]>;

/** One document of the combined one. */
export interface Part {
  /** Letters and digits; prefixes names that collide. */
  name: string;
  document: unknown;
  /** Whether a path of the part is included. */
  accepts(path: string): boolean;
  /**
   * The security of an operation; overrides the document's own.
   * @throws MergeError for one that needs credentials and declares no scope
   */
  security?(path: string, method: string, operation: JsonObject): SecurityRequirement[];
  /** Responses added to those of an operation, by status. */
  responses?(path: string, method: string): JsonObject;
}
