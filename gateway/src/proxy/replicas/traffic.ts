/** How an exchange with a replica ended: the class of its status, or why there was no response to forward. */
export const OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'broken', 'timeout', 'unreachable', 'abandoned'] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** Outcomes without a response; `abandoned` does not count against the replica. */
export type Failure = 'broken' | 'timeout' | 'unreachable' | 'abandoned';

/** Statuses that mean that the replica cannot work, rather than that the request is wrong. */
const FAILING_STATUSES = new Set([502, 503, 504]);

/** Counts the requests to one replica and their outcomes; plain numbers, because each proxied request updates them. */
export class Traffic {
  inFlight = 0;
  /** Since the last success. */
  failuresInRow = 0;
  readonly outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  readonly #onFailure: () => void;

  /** `onFailure` is called after each counted failure. */
  constructor(onFailure: () => void) {
    this.#onFailure = onFailure;
  }

  responded(status: number): void {
    this.inFlight--;
    this.outcomes[classOf(status)]++;
    if (FAILING_STATUSES.has(status)) this.#fail();
    else this.failuresInRow = 0;
  }

  failed(outcome: Failure): void {
    this.inFlight--;
    this.outcomes[outcome]++;
    if (outcome !== 'abandoned') this.#fail();
  }

  #fail(): void {
    this.failuresInRow++;
    this.#onFailure();
  }
}

function classOf(status: number): Outcome {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}
