/** What all histories found. */
export class Findings {
  readonly violations: string[] = [];
  /** The action in the audit trail of each acknowledged request, by its request id. */
  readonly audited = new Map<string, string>();
  readonly counts = new Map<string, number>();
  /** The longest time in ms after an acknowledged revocation at which a request began that was accepted. */
  latestUseMs = 0;

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
