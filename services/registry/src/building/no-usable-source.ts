import { UpstreamError } from '../upstream/errors.ts';
import type { Refusal } from './built-snapshot.ts';

/** Nothing can be built, as every source is refused. Code and message are those of the first one. */
export class NoUsableSource extends UpstreamError {
  /** By the place of the source. */
  readonly refusals: readonly (Refusal | undefined)[];

  constructor(refusals: readonly (Refusal | undefined)[]) {
    const first = refusals.find((refusal) => refusal !== undefined);
    super(first?.code ?? 'empty', first?.message ?? 'There is no source');
    this.refusals = refusals;
  }
}
