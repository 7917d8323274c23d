import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Agent, Task } from '../../harness/api.ts';
import { Calm } from './calm.ts';

/** Records of the fleet, or of identity. */
type Records = 'fleet' | 'identity';

/** A task that a client has asked for; `op` is its message and its only tag. */
export interface AskedTask {
  op: string;
  agentId: string;
  /** The acknowledged task; undefined while the outcome is unknown. */
  task?: Task;
  /** `asked`: a deletion or cancellation was sent, and may have happened. */
  deletion?: 'asked' | 'done';
  cancellation?: 'asked' | 'done';
}

/** What the holder of a lease has learned of the result that it has sent. */
export interface SentResult {
  taskId: string;
  leaseId: string;
  attempt: number;
  status: 'completed' | 'failed';
  answer: 'unknown' | 'accepted' | 'refused';
  /** The last lease of the task that a worker had when the result was sent. */
  lastLease: string | undefined;
}

/** A read through the load balancer. */
export interface Read {
  atMs: number;
  endMs: number;
  problem?: string;
}

/** An agent with the text of the last acknowledged state; null for a deleted one. */
export interface ChangedAgent {
  text: string | null;
  /** Acknowledged changes of a person, by their action in the audit trail. */
  audited: Set<string>;
}

/** What the clients of a run have asked for and what was acknowledged: in memory, and in a file for each client. */
export class Ledger {
  /** By op. */
  readonly tasks = new Map<string, AskedTask>();
  readonly results: SentResult[] = [];
  readonly agents = new Map<string, ChangedAgent>();
  readonly reads: Read[] = [];
  readonly violations: string[] = [];
  /** Of moved clocks. */
  readonly clocks = new Calm();
  /** Of what keeps gateways from learning what was revoked. */
  readonly news = new Calm();
  /** The last lease that a worker has got, by task. */
  readonly lastLeases = new Map<string, string>();
  /** Acknowledged changes, and those that had to be sent again. */
  readonly counts = { acknowledged: 0, repeated: 0 };
  /** The agents that have tasks. */
  working: Agent[] = [];
  readonly #dir: string;
  readonly #files = new Map<string, WriteStream>();
  readonly #startedMs = performance.now();

  /** The longest time without an acknowledged change of the fleet's records, or of identity's, in ms. */
  longestGapMs = 0;
  /** Then nothing is noted any more. */
  isClosed = false;
  /** The last acknowledged change. */
  readonly #acknowledgedMs = new Map<Records, number>();

  constructor(dir: string) {
    this.#dir = join(dir, 'clients');
    mkdirSync(this.#dir, { recursive: true });
  }

  /** Milliseconds since the start. */
  now(): number {
    return Math.round(performance.now() - this.#startedMs);
  }

  acknowledge(records: Records): void {
    const now = this.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - (this.#acknowledgedMs.get(records) ?? now));
    this.#acknowledgedMs.set(records, now);
    this.counts.acknowledged++;
  }

  write(client: string, line: Record<string, unknown>): void {
    if (this.isClosed) return;
    const file = this.#files.get(client) ?? createWriteStream(join(this.#dir, `${client}.jsonl`));
    this.#files.set(client, file);
    file.write(`${JSON.stringify({ at: this.now(), ...line })}\n`);
  }

  violate(problem: string): void {
    if (this.isClosed) return;
    this.violations.push(problem);
    this.write('violations', { problem });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const ends = [...this.#files.values()].map((file) => new Promise((resolve) => file.end(resolve)));
    await Promise.all(ends);
  }
}
