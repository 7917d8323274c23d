import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import type { Agent, Api, Task } from '../harness/api.ts';
import type { Answer } from '../harness/http-client.ts';

const WORKERS = 8;
const PAUSE_MS = 1;
/**
 * The longest that anything may take while something is unavailable: a command to Redis has 5 s, and the gateway would
 * wait for 30 s.
 */
const ANSWER_MS = 20_000;
const PROGRESS_TIMEOUT_MS = 60_000;

/** What was acknowledged, by id. */
export class Acknowledged {
  readonly agents = new Map<string, Agent>();
  readonly tasks = new Map<string, Task>();
  readonly deleted = new Set<string>();
}

export interface LoadOptions {
  /** Whether the gateway itself may be gone. */
  mayBeCutOff: boolean;
  /** How many work at a time. Default: 8. */
  workers?: number;
  /** Between two agents of a worker. Default: 1. */
  pauseMs?: number;
  /** Within which each answer has to come. Default: 20,000. */
  answerMs?: number;
}

/** Workers that create agents with tasks, replace some and delete some, and note what was acknowledged. */
export class Load {
  /** Answers that no client should ever get. */
  readonly violations: string[] = [];
  /** Requests that were not served because something was away. */
  refused = 0;
  readonly #api: Api;
  readonly #acknowledged: Acknowledged;
  readonly #options: Required<LoadOptions>;
  #running: Promise<unknown> | undefined;
  #stopped = false;
  #count = 0;

  constructor(api: Api, acknowledged: Acknowledged, options: LoadOptions) {
    this.#api = api;
    this.#acknowledged = acknowledged;
    this.#options = { workers: WORKERS, pauseMs: PAUSE_MS, answerMs: ANSWER_MS, ...options };
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Waits until so many more tasks have been acknowledged. */
  async progress(count: number): Promise<void> {
    const { tasks } = this.#acknowledged;
    const goal = tasks.size + count;
    await until(async () => tasks.size >= goal, {
      message: `${count} more tasks are created`,
      timeoutMs: PROGRESS_TIMEOUT_MS,
    });
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      await this.#live(this.#count++);
      await sleep(this.#options.pauseMs);
    }
  }

  /** The life of one agent. What was not acknowledged may or may not have been done. */
  async #live(number: number): Promise<void> {
    const { agents, tasks, deleted } = this.#acknowledged;
    const type = this.#api.types[number % this.#api.types.length] as string;
    const agent = (await this.#send('POST', '/agents', 201, { name: `Agent ${number}`, type })) as Agent | undefined;
    if (!agent) return;
    agents.set(agent.id, agent);
    const path = `/agents/${agent.id}`;
    const task = (await this.#send('POST', `${path}/tasks`, 201, { message: `Task ${number}` })) as Task | undefined;
    if (task) tasks.set(task.id, task);
    if (number % 3 === 0) {
      agents.delete(agent.id);
      const body = { name: 'Replaced', type: this.#api.types[0] };
      const replaced = (await this.#send('PUT', path, 200, body)) as Agent | undefined;
      if (replaced) agents.set(agent.id, replaced);
    }
    if (number % 5 === 0) {
      agents.delete(agent.id);
      if (task) tasks.delete(task.id);
      if (await this.#send('DELETE', path, 204)) deleted.add(agent.id);
    }
  }

  /** The body of an answer with this status; undefined for one that says that something is unavailable. */
  async #send(method: string, path: string, status: number, body?: unknown): Promise<unknown> {
    try {
      const answer = await this.#api.call(method, path, { body, deadlineMs: this.#options.answerMs });
      if (answer.status === status) return answer.json ?? true;
      this.refused++;
      if (!saysAway(answer)) this.violations.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    } catch (error) {
      this.refused++;
      const { code, name } = error as NodeJS.ErrnoException;
      if (!this.#options.mayBeCutOff || name === 'AbortError' || name === 'TimeoutError') {
        this.violations.push(`${method} ${path}: ${code ?? name}`);
      }
      await sleep(PAUSE_MS * 50);
    }
    return undefined;
  }
}

/** 503 with Retry-After; or 502 for an exchange that was under way. */
function saysAway({ status, headers, json }: Answer): boolean {
  if (status === 503) return headers['retry-after'] !== undefined;
  return status === 502 && (json as { error?: string } | undefined)?.error === 'upstream_error';
}
