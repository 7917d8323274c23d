import { UpstreamError } from '../source/errors.ts';
import type { Refusal } from './built-snapshot.ts';

/** Every source is refused. Has the code and message of the first refusal. */
export class NoUsableSource extends UpstreamError {
  /** By index of the source. */
  readonly refusals: readonly (Refusal | undefined)[];

  constructor(refusals: readonly (Refusal | undefined)[]) {
    const first = refusals.find((refusal) => refusal !== undefined);
    super(first?.code ?? 'empty', first?.message ?? 'There is no source');
    this.refusals = refusals;
  }
}
