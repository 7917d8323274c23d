import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import type { Response } from 'express';
import { clientOf, visibleAgents } from '../contract/callers.ts';
import { encodePart, toLeaseId } from '../contract/ids.ts';
import { agentNotFound } from '../contract/parameters.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { needsMetBy } from '../tasks/rules/conversation.ts';
import { toTime } from '../tasks/rules/task-state.ts';
import type { Poll, WorkerActivity } from '../workers/worker-activity.ts';
import type { createLeaseFromTypes, leaseFromAgent } from './contract.ts';
import type { HeldLeases } from './held-leases.ts';
import type { Acquired, LeaseAcquirer, LeasedTask, Source } from './lease-acquirer.ts';
import { agentTopic, needsTopic, reservedTopic, typeTopic, type WorkNotifier } from './work-notifier.ts';

/** Heartbeats per lease duration: two may be lost. */
const HEARTBEATS_PER_LEASE = 3;

type LeaseRequest = Input<typeof leaseFromAgent>['body'];

/** What a request for tasks waits for: wakeups of these topics, which also have one of `required`. */
interface Awaited {
  topics: readonly string[];
  required?: ReadonlySet<string>;
}

export interface LeasingParts {
  acquirer: LeaseAcquirer;
  notifier: WorkNotifier;
  /** Passes wakeups to the notifier until the returned function is called. */
  readWakeups: () => () => void;
  release: HeldLeases['release'];
  /** The JSON of what a suspended task goes on with. */
  readResume: (taskId: string, conversation: LeasedTask['conversation']) => Promise<string | undefined>;
  activity: WorkerActivity;
}

/** The operations that lease tasks to workers. */
export function createLeasing({ logger, admitWait }: FleetContext, parts: LeasingParts) {
  const { acquirer, notifier, readWakeups, release, readResume, activity } = parts;

  /** Acquires what is ready now, else tries again at each wakeup, until the wait ends or the client disconnects. */
  async function waitFor(
    acquire: () => Promise<Acquired>,
    { topics, required }: Awaited,
    waitMs: number,
    res: Response,
  ): Promise<Acquired> {
    if (waitMs === 0) return acquire();
    const leave = admitWait(res);
    const until = performance.now() + waitMs;
    const listener = notifier.listen(topics, required);
    const stopReading = readWakeups();
    res.once('close', listener.close);
    try {
      for (;;) {
        const acquired = await acquire();
        passOn(notifier, listener.topics, acquired);
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

  async function respond(request: LeaseRequest, awaited: Awaited, source: Source, res: Response): Promise<Reply> {
    const { accepts, worker_id: workerId, lease_seconds: leaseSeconds } = request;
    const holder = { workerId, leaseSeconds, accepts };
    const acquire = () => acquirer.acquire(source, request.max_tasks, holder);
    const endPoll = activity.poll({ ...toPolled(source), workerId, accepts, client: clientOf(res.req) });
    const acquired = await waitFor(acquire, awaited, request.wait_seconds * 1_000, res).finally(endPoll);
    const { leased, more, isMissing } = acquired;
    if (isMissing) throw agentNotFound();
    if (leased.length === 0) return { status: 204 };
    if (res.closed) await Promise.all(leased.map(releaseUnclaimed));
    if (more) notifier.notify([agentTopic(more.agentId), typeTopic(more.type)], 1);
    const leases = await Promise.all(
      leased.map(async (one) => toJson(one, await readResume(one.task.id, one.conversation))),
    );
    return { status: 201, json: `{"leases":[${leases.join(',')}]}` };
  }

  return {
    async leaseFromAgent({ params, body, res }: Input<typeof leaseFromAgent>): Promise<Reply> {
      const { agent_id: agent } = params;
      return respond(body, { topics: topicsFor(body, [agentTopic(agent)]) }, { agent }, res);
    },

    async leaseFromTypes({ body, req, res }: Input<ReturnType<typeof createLeaseFromTypes>>): Promise<Reply> {
      const { types } = body;
      const topics = topicsFor(body, types.map(typeTopic));
      const visible = visibleAgents(req);
      if (!visible) return respond(body, { topics }, { types }, res);
      const agents = [...visible];
      const awaited = { topics: topicsFor(body, agents.map(agentTopic)), required: new Set(topics) };
      return respond(body, awaited, { types, agents }, res);
    },
  };
}

/** A request may take other work than that of its wakeup, which is for the next one then. */
function passOn(notifier: WorkNotifier, topics: readonly string[], { leased }: Acquired): void {
  if (topics.length === 0 || leased.length === 0) return;
  const isTaken = leased.some(({ task: { agent_id, continue_of }, conversation }) => {
    const topic = agentTopic(agent_id);
    // A task that goes on may have been reserved, and then the wakeup is that of another one.
    const mayBeReserved = continue_of !== null || conversation?.suspended !== undefined;
    const isOf = (other: string) => (other === topic ? !mayBeReserved : other.startsWith(`${topic} `));
    return topics.some(isOf);
  });
  if (!isTaken) notifier.notify(topics, 1);
}

const toPolled = (source: Source): Pick<Poll, 'types' | 'agents'> =>
  'agent' in source ? { agents: [source.agent] } : source;

/** Adds the topics of tasks that need what the worker takes, or are reserved for it. */
function topicsFor({ worker_id, accepts }: LeaseRequest, topics: string[]): string[] {
  const worker = encodePart(worker_id);
  const met = topics.flatMap((topic) => needsMetBy(accepts).map((needs) => needsTopic(topic, needs)));
  return [...met, ...topics.map((topic) => reservedTopic(topic, worker))];
}

/** Inserts the task as its stored text. */
function toJson({ task, lease, json }: LeasedTask, resume: string | undefined): string {
  const id = toLeaseId({ agentId: task.agent_id, taskId: task.id, number: lease.number });
  const head = JSON.stringify({ id, token: lease.token });
  const tail = JSON.stringify({
    attempt: task.attempt,
    expires_at: toTime(lease.expiresAt),
    heartbeat_interval_seconds: Math.max(1, Math.floor(lease.leaseSeconds / HEARTBEATS_PER_LEASE)),
  });
  const rest = resume === undefined ? '' : `"resume":${resume},`;
  return `${head.slice(0, -1)},"task":${json},${rest}${tail.slice(1)}`;
}
