/** How an exchange with a replica ended: by the class of its status, or why there was none that could be passed on. */
export const OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'broken', 'timeout', 'unreachable', 'abandoned'] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** Without an answer; `abandoned` says nothing about the replica. */
export type Failure = 'broken' | 'timeout' | 'unreachable' | 'abandoned';

/** Answers that say that the replica cannot do its work, rather than that something is wrong with the request. */
const FAILING_STATUSES = new Set([502, 503, 504]);

/** What goes to one replica and how it ends; plain numbers, as each proxied request pays for them. */
export class Traffic {
  inFlight = 0;
  /** Since the last success. */
  failuresInRow = 0;
  readonly outcomes: Record<Outcome, number> = {
    '2xx': 0,
    '3xx': 0,
    '4xx': 0,
    '5xx': 0,
    broken: 0,
    timeout: 0,
    unreachable: 0,
    abandoned: 0,
  };
  readonly #onFailure: () => void;

  /** `onFailure` is called after each counted failure. */
  constructor(onFailure: () => void) {
    this.#onFailure = onFailure;
  }

  begin(): void {
    this.inFlight++;
  }

  answered(status: number): void {
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
