import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, Lease, Task } from './api.ts';
import { HttpClient, type HttpResponse } from './http-client.ts';
import type { WorkerTarget } from './worker-program.ts';

const PRODUCERS = 3;
const WORKERS = 8;
const AGENTS = 20;
/** Keeps the events of an agent below the 1,000 that are stored. */
const PRODUCE_EVERY_MS = 60;
const AGAIN_MS = 100;
/** A lease whose response was lost expires after this time. */
const LEASE_SECONDS = 10;
const FINISH_TIMEOUT_MS = 120_000;
const ATTEMPT_TIMEOUT_MS = 30_000;

/**
 * Clients that create agents and tasks, and workers that complete the tasks. Each repeats a request until it gets a
 * response.
 */
export class Work {
  /** Tasks whose creation was acknowledged, by id. */
  readonly tasks = new Map<string, Task>();
  /** Responses that no client may ever get. */
  readonly violations: string[] = [];
  /** Requests that failed otherwise than with 502, or with 503 and Retry-After. */
  readonly unexpected: string[] = [];
  /** Repeated requests. */
  repeated = 0;
  /** Results that arrived too late. */
  lost = 0;
  /** The lease id of the acknowledged result of each task. */
  readonly completed = new Map<string, string>();
  /** The last acknowledged state of each replaced agent; null for a deleted one. */
  readonly #changed = new Map<string, Agent | null>();
  readonly #type: string;
  readonly #http: HttpClient;
  #agentIds: string[] = [];
  #isProducing = true;
  #isWorking = true;
  #count = 0;

  private constructor(target: WorkerTarget, type: string) {
    this.#type = type;
    this.#http = new HttpClient(target.baseUrl, { apiKey: target.apiKey });
  }

  /**
   * Creates and completes tasks of agents of one type during a change, until every task is completed. @throws if an
   * acknowledged change is lost, or a task ends more than once or differently than acknowledged
   */
  static async during(target: WorkerTarget, type: string, change: (work: Work) => Promise<unknown>): Promise<Work> {
    const work = new Work(target, type);
    const agents = Array.from({ length: AGENTS }, () => work.#createAgent());
    work.#agentIds = (await Promise.all(agents)).map(({ id }) => id);
    const producers = Array.from({ length: PRODUCERS }, () => work.#produce());
    const producing = Promise.all([...producers, work.#changeAgents()]);
    const workers = Array.from({ length: WORKERS }, (_, at) => work.#workAs(`worker ${at}`));
    const running = Promise.all([producing, ...workers]);
    // Awaited below.
    running.catch(() => undefined);
    try {
      await change(work);
      work.#isProducing = false;
      // One of them may still create a task.
      await producing;
      await work.#untilAllAreCompleted();
    } finally {
      work.#isProducing = work.#isWorking = false;
      await running;
    }
    await work.#verify();
    return work;
  }

  async #verify(): Promise<void> {
    const { tasks, violations } = this;
    const events = await this.#endsByTask();
    for (const { agent_id, id } of tasks.values()) {
      const { json, status } = await this.#send('GET', `/agents/${agent_id}/tasks/${id}`);
      const { status: outcome, result } = Object(json) as Partial<Task>;
      const by = (result as { by?: string } | undefined)?.by;
      if (status !== 200 || outcome !== 'completed') violations.push(`${id}: ${status} ${outcome}`);
      const acknowledged = this.completed.get(id);
      if (acknowledged !== undefined && by !== acknowledged) violations.push(`${id}: by ${by}, not ${acknowledged}`);
      if (events.get(id) !== 1) violations.push(`${id}: ended ${events.get(id) ?? 0} times`);
    }
    for (const [id, agent] of this.#changed) {
      const { status, text } = await this.#send('GET', `/agents/${id}`);
      const isAsAcknowledged = agent ? text === JSON.stringify(agent) : status === 404;
      if (!isAsAcknowledged) violations.push(`agent ${id}: ${status} ${text}, not ${JSON.stringify(agent)}`);
    }
    for (const id of [...this.#agentIds, ...this.#changed.keys()]) await this.#send('DELETE', `/agents/${id}`);
    this.#http.close();
    if (violations.length === 0) return;
    throw new Error(`${violations.length} violations:\n${violations.slice(0, 5).join('\n')}`);
  }

  async #createAgent(): Promise<Agent> {
    return (await this.#send('POST', '/agents', { name: 'Busy', type: this.#type })).json as Agent;
  }

  /** Creates and replaces agents, and deletes every second one. */
  async #changeAgents(): Promise<void> {
    for (let count = 0; this.#isProducing; count++) {
      const { id } = await this.#createAgent();
      const { json } = await this.#send('PUT', `/agents/${id}`, { name: `Replaced ${count}`, type: this.#type });
      if (count % 2 === 0) await this.#send('DELETE', `/agents/${id}`);
      this.#changed.set(id, count % 2 === 0 ? null : (json as Agent));
      await sleep(PRODUCE_EVERY_MS);
    }
  }

  async #produce(): Promise<void> {
    while (this.#isProducing) {
      const agentId = this.#agentIds[this.#count++ % this.#agentIds.length];
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const { json, status, text } = await this.#send('POST', `/agents/${agentId}/tasks`, { message: 'Work' }, headers);
      if (status === 201) this.tasks.set((json as Task).id, json as Task);
      else this.violations.push(`POST tasks: ${status} ${text}`);
      await sleep(PRODUCE_EVERY_MS);
    }
  }

  async #workAs(worker_id: string): Promise<void> {
    const body = { worker_id, types: [this.#type], max_tasks: 2, wait_seconds: 2, lease_seconds: LEASE_SECONDS };
    while (this.#isWorking) {
      const { status, json, text } = await this.#send('POST', '/leases', body);
      if (status === 201) for (const lease of (json as { leases: Lease[] }).leases) await this.#complete(lease);
      else if (status !== 204) this.violations.push(`POST /leases: ${status} ${text}`);
    }
  }

  async #complete({ id, token, task }: Lease): Promise<void> {
    const body = { token, status: 'completed', result: { by: id } };
    const { status, text } = await this.#send('PUT', `/leases/${id}/result`, body);
    if (status === 409) this.lost++;
    else if (status !== 200) this.violations.push(`PUT result: ${status} ${text}`);
    else {
      const other = this.completed.get(task.id);
      if (other !== undefined && other !== id) this.violations.push(`${task.id}: completed by ${other} and ${id}`);
      this.completed.set(task.id, id);
    }
  }

  /** Repeats a request until its response is neither an error of the server nor `idempotent_request_in_progress`. */
  async #send(method: string, path: string, body?: unknown, headers = {}): Promise<HttpResponse> {
    for (const deadline = Date.now() + FINISH_TIMEOUT_MS; ; await sleep(AGAIN_MS)) {
      let problem: string;
      try {
        const response = await this.#http.call(method, path, { body, headers, deadlineMs: ATTEMPT_TIMEOUT_MS });
        if (response.status < 500 && !response.text.includes('idempotent_request_in_progress')) return response;
        problem = `${response.status} ${response.text}`;
        if (!isAllowed(response)) this.unexpected.push(problem);
      } catch (error) {
        problem = String((error as NodeJS.ErrnoException).code ?? error);
        this.unexpected.push(problem);
      }
      if (Date.now() > deadline) throw new Error(`${method} ${path}: ${problem}`);
      this.repeated++;
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

  /** Counts how often each task has ended, by the events of the agents. */
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

/** Whether a response is allowed during a change: 503 with Retry-After, or 502 for a request in flight. */
function isAllowed({ status, headers, json }: HttpResponse): boolean {
  if (status === 503) return headers['retry-after'] !== undefined;
  return status < 500 || (status === 502 && (json as { error?: string } | undefined)?.error === 'upstream_error');
}
