/** A fault that fits in one line, and the tests that must fail with it. Paths are relative to the root. */
export interface Mutation {
  /** What the fault does. */
  name: string;
  file: string;
  /** Exact text, once in the file and within one line. */
  find: string;
  replace: string;
  /** Test files, all quick or all long. */
  tests: readonly string[];
}
