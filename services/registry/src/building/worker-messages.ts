import type { UpstreamErrorCode } from '../upstream/errors.ts';
import type { BuiltSnapshot } from './built-snapshot.ts';

/** What the worker thread of a build posts, once. Without a code the build failed by a defect or damaged documents. */
export type WorkerMessage =
  | { status: 'built'; snapshot: BuiltSnapshot }
  | { status: 'failed'; code?: UpstreamErrorCode; message: string };
