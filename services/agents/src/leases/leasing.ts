import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import type { Response } from 'express';
import { roundAmount } from '../agent-work/used.ts';
import { clientOf, visibleAgents } from '../contract/callers.ts';
import { encodePart, toLeaseId } from '../contract/ids.ts';
import { agentNotFound } from '../contract/parameters.ts';
import { type Definition, toEffective } from '../definitions/definition.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { ReadResults } from '../tasks/graphs/results.ts';
import { offersOf } from '../tasks/rules/needs.ts';
import { toTime } from '../tasks/rules/task-state.ts';
import { closedBy, pausesOf } from '../workers/pauses.ts';
import type { Poll, WorkerActivity } from '../workers/worker-activity.ts';
import type { createLeaseFromTypes, leaseFromAgent } from './contract.ts';
import type { HeldLeases } from './held-leases.ts';
import type { Acquired, LeaseAcquirer, LeasedTask, Source } from './lease-acquirer.ts';
import {
  type Awaited,
  agentTopic,
  type Notification,
  reservedTopic,
  typeTopic,
  type WorkNotifier,
} from './work-notifier.ts';

/** Heartbeats per lease duration: two may be lost. */
const HEARTBEATS_PER_LEASE = 3;

type LeaseRequest = Input<typeof leaseFromAgent>['body'];

export interface LeasingParts {
  acquirer: LeaseAcquirer;
  notifier: WorkNotifier;
  /** Passes wakeups to the notifier until the returned function is called. */
  readWakeups: () => () => void;
  release: HeldLeases['release'];
  /** The JSON of what a suspended task goes on with. */
  readResume: (taskId: string, conversation: LeasedTask['conversation']) => Promise<string | undefined>;
  activity: WorkerActivity;
  definitions: DefinitionStore;
  readResults: ReadResults;
}

/** The operations that lease tasks to workers. */
export function createLeasing({ logger, admitWait, clock, config }: FleetContext, parts: LeasingParts) {
  const { acquirer, notifier, readWakeups, release, readResume, activity, definitions, readResults } = parts;

  /** Acquires what is ready now, else tries again at each wakeup, until the wait ends or the client disconnects. */
  async function waitFor(
    acquire: () => Promise<Acquired>,
    awaited: Awaited,
    waitMs: number,
    res: Response,
  ): Promise<Acquired> {
    if (waitMs === 0) return acquire();
    const leave = admitWait(res);
    const until = performance.now() + waitMs;
    const listener = notifier.listen(awaited);
    const stopReading = readWakeups();
    res.once('close', listener.close);
    try {
      for (;;) {
        const acquired = await acquire();
        passOn(notifier, listener.used, acquired);
        if (acquired.leased.length > 0 || acquired.isMissing || res.closed) return acquired;
        if (!(await listener.wait(until - performance.now()))) return acquired;
      }
    } finally {
      res.off('close', listener.close);
      listener.close();
      stopReading();
      leave();
    }
  }

  /** Releases a lease whose client has disconnected; otherwise the task would wait until the lease expires. */
  async function releaseUnclaimed({ task, lease: { number, token } }: LeasedTask): Promise<void> {
    await release({ agentId: task.agent_id, taskId: task.id, number }, token).catch((error: unknown) =>
      logger.warn({ err: error, task_id: task.id }, 'failed to release an abandoned lease'),
    );
  }

  async function respond(asked: Asked, awaited: Awaited, source: Source, res: Response): Promise<Reply> {
    const { request, polled, pauses } = asked;
    const { accepts, labels, worker_id: workerId, lease_seconds: leaseSeconds } = request;
    const holder = { workerId, leaseSeconds, accepts, labels };
    const acquire = () => acquirer.acquire(source, asked.max, holder);
    const seen = { workerId, accepts, labels: asked.labels, pauses, client: clientOf(res.req) };
    const endPoll = activity.poll({ ...polled, ...seen });
    const acquired = await waitFor(acquire, awaited, request.wait_seconds * 1_000, res).finally(endPoll);
    const { leased, more, isMissing } = acquired;
    if (isMissing) throw agentNotFound();
    if (leased.length === 0) return { status: 204 };
    if (res.closed) await Promise.all(leased.map(releaseUnclaimed));
    if (more) notifier.notify({ topics: [agentTopic(more.agentId), typeTopic(more.type)], needs: more.needs }, 1);
    const dependencies = await readResults(leased);
    const leases = await Promise.all(
      leased.map(async (one, at) => {
        const { task, conversation } = one;
        const [resume, definition] = await Promise.all([readResume(task.id, conversation), definitions.readOf(task)]);
        return toJson(one, { resume, definition, dependencies: dependencies[at] });
      }),
    );
    return { status: 201, json: `{"leases":[${leases.join(',')}]}` };
  }

  return {
    async leaseFromAgent({ params, body, res }: Input<typeof leaseFromAgent>): Promise<Reply> {
      const { agent_id: agent } = params;
      const asked = toAsked(body, { agents: [agent] }, clock.now());
      const { request, closed } = asked;
      const awaited = toAwaited(request, asked.max === 0 ? [] : [agentTopic(agent)]);
      if (closed.size === 0) return respond(asked, awaited, { agent }, res);
      const open = config.agentTypes.filter((type) => !closed.has(type));
      const required = new Set(toAwaited(request, open.map(typeTopic)).topics);
      return respond(asked, { ...awaited, required }, { agent, closed: [...closed] }, res);
    },

    async leaseFromTypes({ body, req, res }: Input<ReturnType<typeof createLeaseFromTypes>>): Promise<Reply> {
      const visible = visibleAgents(req);
      const agents = visible && [...visible];
      const asked = toAsked(body, { types: body.types, ...(agents && { agents }) }, clock.now());
      const { request, closed, max } = asked;
      const types = max === 0 ? [] : body.types.filter((type) => !closed.has(type));
      const awaited = toAwaited(request, types.map(typeTopic));
      if (!agents) return respond(asked, awaited, { types }, res);
      const ofAgents = toAwaited(request, agents.map(agentTopic));
      return respond(asked, { ...ofAgents, required: new Set(awaited.topics) }, { types, agents }, res);
    },
  };
}

/** A request may take other work than that of its wakeup, which is for the next one then. */
function passOn(notifier: WorkNotifier, used: Notification, { leased }: Acquired): void {
  const { topics, needs } = used;
  if (topics.length === 0 || leased.length === 0) return;
  const isTaken = leased.some(({ task: { agent_id, continue_of }, conversation }) => {
    const topic = agentTopic(agent_id);
    // A task that goes on may have been reserved, and then the wakeup is that of another one.
    const mayBeReserved = continue_of !== null || conversation?.suspended !== undefined;
    const isOf = (other: string) => (other === topic ? needs !== '' || !mayBeReserved : other.startsWith(`${topic} `));
    return topics.some(isOf);
  });
  if (!isTaken) notifier.notify(used, 1);
}

/** What a worker asks for, less that of which it says that it pauses. */
type Asked = ReturnType<typeof toAsked>;

function toAsked(request: LeaseRequest, polled: Pick<Poll, 'types' | 'agents'>, now: number) {
  const pauses = pausesOf(request, now);
  const { all, types: closed, labels: without } = closedBy(pauses);
  const { labels } = request;
  // A definition with a runtime requires its label.
  const open = { ...request, labels: labels.filter((label) => !without.has(label)) };
  return { request: open, max: all ? 0 : request.max_tasks, labels, closed, pauses, polled };
}

/** Adds the topics of tasks that are reserved for the worker. */
function toAwaited({ worker_id, ...offers }: LeaseRequest, topics: string[]): Awaited {
  const worker = encodePart(worker_id);
  const reserved = topics.map((topic) => reservedTopic(topic, worker));
  return { topics: [...topics, ...reserved], offers: new Set(offersOf(offers)) };
}

/** Inserts the task as its stored text. */
function toJson(
  { task, lease, json, left }: LeasedTask,
  {
    resume,
    definition,
    dependencies,
  }: { resume: string | undefined; definition: Definition | null; dependencies: string | undefined },
): string {
  const id = toLeaseId({ agentId: task.agent_id, taskId: task.id, number: lease.number });
  const head = JSON.stringify({ id, token: lease.token });
  const tail = JSON.stringify({
    attempt: task.attempt,
    expires_at: toTime(lease.expiresAt),
    heartbeat_interval_seconds: Math.max(1, Math.floor(lease.leaseSeconds / HEARTBEATS_PER_LEASE)),
  });
  const rest = [
    ...(resume === undefined ? [] : [`"resume":${resume},`]),
    ...(dependencies === undefined ? [] : [`"dependencies":${dependencies},`]),
  ].join('');
  const limited = { ...task, max_cost: leastCost(task, left) };
  const effective = definition ? JSON.stringify(toEffective(definition, limited)) : 'null';
  return `${head.slice(0, -1)},"task":${json},"definition":${effective},${rest}${tail.slice(1)}`;
}

/** What all attempts of a task together may cost: its own limit, or what is left of budgets. */
function leastCost({ cost, max_cost }: LeasedTask['task'], left: LeasedTask['left']): LeasedTask['task']['max_cost'] {
  if (!left) return max_cost;
  const amount = roundAmount((cost?.amount ?? 0) + left.micros / 1e6);
  return max_cost && max_cost.amount <= amount ? max_cost : { amount, currency: 'USD' };
}
