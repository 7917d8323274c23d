import type { BuiltSnapshot, Refusal } from './built-snapshot.ts';

/** What the worker thread of a build posts, once. It fails by a defect or damaged documents. */
export type WorkerMessage =
  | { status: 'built'; snapshot: BuiltSnapshot }
  /** See `NoUsableSource`. */
  | { status: 'refused'; refusals: readonly (Refusal | undefined)[] }
  | { status: 'failed'; message: string };
