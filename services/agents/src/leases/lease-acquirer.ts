import { randomBytes } from 'node:crypto';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { Conversation } from '../tasks/rules/conversation.ts';
import { offersOf } from '../tasks/rules/needs.ts';
import { postpone } from '../tasks/rules/parking.ts';
import { applyDeadlines, type Holder, lease, mayStart } from '../tasks/rules/task-rules.ts';
import { type Dependency, encodeWorker, idsOf, type Lease, toStoredTask } from '../tasks/rules/task-state.ts';
import type { ChangeTask, Left } from '../tasks/store/task-changer.ts';
import type { Task } from '../tasks/task.ts';

/** Tasks that one script reads at most. */
const MAX_TASKS = 50;
/** To look at this many agents of a request takes as long as a task. */
const AGENTS_PER_TASK = 10;
/** The same of this many labels of a worker. */
const LABELS_PER_TASK = 16;

/**
 * Where to take tasks from: an agent, unless it is of a `closed` type, or any agent of some types, in turn; with
 * `agents`, only these.
 */
export type Source =
  | { agent: string; closed?: readonly string[] }
  | { types: readonly string[]; agents?: readonly string[] };

/** A task with its new lease. */
export interface LeasedTask {
  task: Task;
  /** The task's record. */
  json: string;
  lease: Lease;
  conversation: Conversation | undefined;
  /** What it comes after. */
  after: Dependency[] | undefined;
  /** What is left of budgets. */
  left: Left | undefined;
}

export interface Acquired {
  leased: LeasedTask[];
  /** The agent of the last task, if it has more, its type, and what these need. */
  more: { agentId: string; type: string; needs: string } | undefined;
  /** The requested agent does not exist. */
  isMissing: boolean;
}

interface Request {
  source: Source;
  max: number;
  holder: Holder;
  acquired: Acquired;
  reply: PromiseWithResolvers<Acquired>;
}

/** In place of `more`: the requested agent does not exist. */
const AGENT_MISSING = -1;

/** `more`: the type of the last task's agent, a blank and the needs of which it has more; '' for none. */
type Peek = [more: string | number, ...texts: (string | null)[]];

/**
 * Leases the next tasks to workers, in rounds: one script reads the next tasks for all waiting requests, then each task
 * is changed by compare-and-set. So requests of this process never compete for a task; another replica may win it, and
 * then the request takes part in the next round.
 */
export class LeaseAcquirer {
  readonly #context: FleetContext;
  readonly #change: ChangeTask;
  readonly #peekTasks;
  readonly #waiting: Request[] = [];
  #isRunning = false;

  constructor(context: FleetContext, change: ChangeTask) {
    this.#context = context;
    this.#change = change;
    this.#peekTasks = loadFleetScript(context, 'leases/peek-tasks');
  }

  /** Leases up to `max` tasks that are ready now. */
  acquire(source: Source, max: number, holder: Holder): Promise<Acquired> {
    const acquired = { leased: [], more: undefined, isMissing: false };
    const request = { source, max, holder, acquired, reply: Promise.withResolvers<Acquired>() };
    this.#waiting.push(request);
    if (!this.#isRunning) void this.#run();
    return request.reply.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Requests that arrive in the same tick share the round.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#runRound(this.#takeRequests());
    this.#isRunning = false;
  }

  #takeRequests(): Request[] {
    let tasks = 0;
    let count = 0;
    for (const { source, max, holder, acquired } of this.#waiting) {
      tasks += max - acquired.leased.length + holder.labels.length / LABELS_PER_TASK;
      if ('agents' in source) tasks += (source.agents?.length ?? 0) / AGENTS_PER_TASK;
      if (count > 0 && tasks > MAX_TASKS) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #runRound(requests: Request[]): Promise<void> {
    let peeks: Peek[];
    try {
      const wanted = requests.map(({ source, max, holder, acquired }) => ({
        ...source,
        max: max - acquired.leased.length,
        worker: encodeWorker(holder.workerId),
        offers: offersOf(holder),
      }));
      peeks = (await this.#peekTasks(wanted)) as Peek[];
    } catch (error) {
      this.#fail(requests, error);
      return;
    }
    await Promise.all(requests.map((request, at) => this.#leaseTasks(request, peeks[at] as Peek)));
  }

  async #leaseTasks(request: Request, [more, ...texts]: Peek): Promise<void> {
    const { acquired, holder, max, reply } = request;
    const leases: Promise<LeasedTask | undefined>[] = [];
    for (let at = 0; at < texts.length; at += 2) {
      const [json, stateText] = [texts[at], texts[at + 1]];
      if (json && stateText) leases.push(this.#leaseTask(json, stateText, holder));
    }
    const results = await Promise.allSettled(leases);
    for (const result of results) {
      if (result.status === 'fulfilled' && result.value) acquired.leased.push(result.value);
    }
    const last = texts.at(-2);
    const [type = '', needs = ''] = `${more}`.split(' ');
    acquired.more = last && more !== '' ? { agentId: idsOf(last).agent_id, type, needs } : undefined;
    acquired.isMissing = more === AGENT_MISSING;
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) this.#fail([request], failed.reason);
    else if (leases.length === 0 || acquired.leased.length === max) reply.resolve(acquired);
    else this.#waiting.push(request);
  }

  /** Makes the task running; undefined when another replica was first, or its deadline has passed. */
  async #leaseTask(record: string, stateText: string, holder: Holder): Promise<LeasedTask | undefined> {
    const known = toStoredTask(record, stateText);
    const token = randomBytes(24).toString('base64url');
    const changed = await this.#change(
      known.task.agent_id,
      known.task.id,
      (stored, now) => {
        if (mayStart(stored, holder, now)) return lease(stored, { ...holder, token }, now);
        return stored.task.status === 'pending'
          ? applyDeadlines(stored, this.#context.config.retention.ms, now)
          : undefined;
      },
      known,
    );
    if (changed.outcome === 'budget') {
      const { until } = changed;
      await this.#change(known.task.agent_id, known.task.id, (stored, now) =>
        mayStart(stored, holder, now) ? postpone(stored, until, now) : undefined,
      );
      return undefined;
    }
    if (changed.outcome !== 'changed' || changed.state?.lease?.token !== token) return undefined;
    const { lease: held, conversation, after } = changed.state;
    return { task: changed.task, json: changed.json, lease: held, conversation, after, left: changed.left };
  }

  /**
   * Ends requests after an error. Tasks that are leased already must reach their worker. Without Redis, also ends the
   * requests that arrived meanwhile: they would time out only after another round.
   */
  #fail(requests: Request[], error: unknown): void {
    const arrived = isRedisUnavailable(error) ? this.#waiting.splice(0) : [];
    for (const { acquired, reply } of [...requests, ...arrived]) {
      if (acquired.leased.length === 0) {
        reply.reject(error);
      } else {
        this.#context.logger.warn({ err: error }, 'leased fewer tasks than requested');
        reply.resolve(acquired);
      }
    }
  }
}
