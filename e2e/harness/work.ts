import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease, Task } from './api.ts';
import { type Answer, HttpClient } from './http-client.ts';
import type { WorkerTarget } from './worker-program.ts';

const PRODUCERS = 3;
const WORKERS = 8;
const AGENTS = 20;
/** So that an agent's events, of which 1,000 are kept, tell of all its tasks. */
const PRODUCE_EVERY_MS = 60;
const AGAIN_MS = 100;
/** What a lost answer has leased comes back after it. */
const LEASE_SECONDS = 10;
const FINISH_TIMEOUT_MS = 120_000;
const ATTEMPT_TIMEOUT_MS = 30_000;

/** What came of work under way. */
export interface WorkReport {
  /** Tasks whose creation was acknowledged. */
  tasks: Map<string, Task>;
  /** Task id → the id of the lease whose result was acknowledged. */
  finished: Map<string, string>;
  /** Answers that nobody should ever get. */
  violations: string[];
  /** Requests that had to be sent again. */
  again: number;
  /** Results that came too late. */
  lost: number;
}

/**
 * Clients that give tasks to agents of one type, and workers that complete them, each sending a request again until it
 * is answered; until `finish` is called, which waits until every task is completed, and holds what is there against
 * what was acknowledged.
 */
export class Work {
  readonly report: WorkReport = { tasks: new Map(), finished: new Map(), violations: [], again: 0, lost: 0 };
  readonly #type: string;
  readonly #http: HttpClient;
  #agentIds: string[] = [];
  #producing = true;
  #working = true;
  #running: Promise<unknown> = Promise.resolve();
  #count = 0;

  private constructor(target: WorkerTarget, type: string) {
    this.#type = type;
    this.#http = new HttpClient(target.baseUrl, { apiKey: target.apiKey, token: () => Promise.reject(new Error()) });
  }

  static async start(target: WorkerTarget, type: string): Promise<Work> {
    const work = new Work(target, type);
    const agents = Array.from({ length: AGENTS }, () => work.#send('POST', '/agents', { name: 'Busy', type }));
    work.#agentIds = (await Promise.all(agents)).map(({ json }) => (json as { id: string }).id);
    const producers = Array.from({ length: PRODUCERS }, () => work.#produce());
    const workers = Array.from({ length: WORKERS }, (_, at) => work.#workAs(`worker ${at}`));
    work.#running = Promise.all([...producers, ...workers]);
    return work;
  }

  /** @throws when a task was lost, did not end, or ended otherwise than was acknowledged, or more than once */
  async finish(): Promise<string> {
    this.#producing = false;
    const { tasks, finished, violations, again, lost } = this.report;
    try {
      await this.#untilAllAreCompleted();
    } finally {
      this.#working = false;
      await this.#running;
    }
    const events = await this.#endsByTask();
    for (const { agent_id, id } of tasks.values()) {
      const { json, status } = await this.#send('GET', `/agents/${agent_id}/tasks/${id}`);
      const { status: became, result } = Object(json) as Partial<Task>;
      const by = (result as { by?: string } | undefined)?.by;
      if (status !== 200 || became !== 'completed') violations.push(`${id}: ${status} ${became}`);
      const acknowledged = finished.get(id);
      if (acknowledged !== undefined && by !== acknowledged) violations.push(`${id}: by ${by}, not ${acknowledged}`);
      if (events.get(id) !== 1) violations.push(`${id}: ended ${events.get(id) ?? 0} times`);
    }
    for (const id of this.#agentIds) await this.#send('DELETE', `/agents/${id}`);
    this.#http.close();
    if (violations.length > 0)
      throw new Error(`${violations.length} violations:\n${violations.slice(0, 5).join('\n')}`);
    return `${tasks.size} tasks, each ended once; ${again} requests sent again, ${lost} results too late`;
  }

  async #produce(): Promise<void> {
    while (this.#producing) {
      const agentId = this.#agentIds[this.#count++ % this.#agentIds.length];
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const { json, status, text } = await this.#send('POST', `/agents/${agentId}/tasks`, { message: 'Work' }, headers);
      if (status === 201) this.report.tasks.set((json as Task).id, json as Task);
      else this.report.violations.push(`POST tasks: ${status} ${text}`);
      await sleep(PRODUCE_EVERY_MS);
    }
  }

  async #workAs(worker_id: string): Promise<void> {
    const body = { worker_id, types: [this.#type], max_tasks: 2, wait_seconds: 2, lease_seconds: LEASE_SECONDS };
    while (this.#working) {
      const { status, json, text } = await this.#send('POST', '/leases', body);
      if (status === 201) for (const lease of (json as { leases: Lease[] }).leases) await this.#complete(lease);
      else if (status !== 204) this.report.violations.push(`POST /leases: ${status} ${text}`);
    }
  }

  async #complete({ id, token, task }: Lease): Promise<void> {
    const { finished, violations } = this.report;
    const { status, text } = await this.#send('PUT', `/leases/${id}/result`, {
      token,
      status: 'completed',
      result: { by: id },
    });
    if (status === 200) {
      const other = finished.get(task.id);
      if (other !== undefined && other !== id) violations.push(`${task.id}: completed by ${other} and ${id}`);
      finished.set(task.id, id);
    } else if (status === 409) {
      this.report.lost++;
    } else {
      violations.push(`PUT result: ${status} ${text}`);
    }
  }

  /** Sends a request until it is answered by more than that something is unavailable. */
  async #send(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    for (const deadline = Date.now() + FINISH_TIMEOUT_MS; ; await sleep(AGAIN_MS)) {
      let problem: unknown;
      try {
        const answer = await this.#http.call(method, path, { body, headers, deadlineMs: ATTEMPT_TIMEOUT_MS });
        if (answer.status < 500 && !answer.text.includes('idempotent_request_in_progress')) return answer;
        problem = new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      } catch (error) {
        problem = error;
      }
      if (Date.now() > deadline) throw problem;
      this.report.again++;
    }
  }

  async #untilAllAreCompleted(): Promise<void> {
    for (const deadline = Date.now() + FINISH_TIMEOUT_MS; ; await sleep(AGAIN_MS)) {
      const counts = await Promise.all(
        ['pending', 'running'].map(async (status) => {
          const { headers } = await this.#send('GET', `/tasks?type=${this.#type}&status=${status}&limit=1`);
          return Number(headers['x-total-count']);
        }),
      );
      if (counts.every((count) => count === 0)) return;
      if (Date.now() > deadline) throw new Error(`Still ${counts.join(' pending and ')} running`);
    }
  }

  /** How often each task has ended, by the events of the agents. */
  async #endsByTask(): Promise<Map<string, number>> {
    const ends = new Map<string, number>();
    for (const id of this.#agentIds) {
      const { json } = await this.#send('GET', `/agents/${id}/events?limit=1000`);
      for (const { type, task_id = '' } of json as { type: string; task_id?: string }[]) {
        if (/^task\.(completed|failed|cancelled)$/.test(type)) ends.set(task_id, (ends.get(task_id) ?? 0) + 1);
      }
    }
    return ends;
  }
}
