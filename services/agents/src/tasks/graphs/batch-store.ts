import type { Creator, RecordQuota } from '../../contract/callers.ts';
import { parseRecord } from '../../contract/fields.ts';
import type { Definition } from '../../definitions/definition.ts';
import type { DefinitionStore } from '../../definitions/definition-store.ts';
import type { Kept, KeptReply } from '../../idempotency/idempotency.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import type { Dependency } from '../rules/task-state.ts';
import { type CreateTasks, findStepEnd, setsOf } from '../store/task-creator.ts';
import type { Task } from '../task.ts';

/** A task to create, with what it comes after. */
export interface Planned {
  task: Task;
  /** The version that holds for it. */
  definition: Definition | null;
  after: Dependency[];
}

/** A batch of tasks, each behind those of the batch that it comes after. */
export interface Plan {
  id: string;
  planned: readonly Planned[];
  /** Body of the reply, which is kept. */
  json: string;
  kept: Kept | undefined;
  quota: RecordQuota | undefined;
  owner: string | undefined;
  creator: Creator | undefined;
  /** Entries in the audit trail. */
  audit: (string | undefined)[];
  /** Whether the definitions need not be the current ones. */
  keepVersion?: boolean;
}

export type Begun =
  | { outcome: 'begun' | 'full' | 'too many sets' }
  | { outcome: 'missing' | 'redefined'; agentId: string }
  | KeptReply;

/** Tasks of one agent, which one script creates. */
interface Step {
  records: string[];
  after: Dependency[][];
  owner: string | undefined;
  creator: Creator | undefined;
  counted: string | undefined;
}

export type BatchStore = ReturnType<typeof createBatchStore>;

/**
 * Creates tasks of several agents, all or none: the steps are stored, one script begins them, and from then on any
 * replica creates the tasks of each step by one script, once.
 */
export function createBatchStore(
  context: FleetContext,
  { create, definitions }: { create: CreateTasks; definitions: DefinitionStore },
) {
  const { redis, keys } = context;
  const appendPlan = loadFleetScript(context, 'tasks/graphs/append-plan');
  const beginBatch = loadFleetScript(context, 'tasks/graphs/begin-batch');
  const skipStep = loadFleetScript(context, 'tasks/graphs/skip-step');

  async function begin({ id, planned, json, kept, quota, owner, creator, audit, keepVersion }: Plan): Promise<Begun> {
    const steps = toSteps(planned, { owner, creator, counted: quota?.owner });
    for (const step of steps) await appendPlan({ id }, JSON.stringify(step));
    const ofAgents = Map.groupBy(planned, ({ task }) => task.agent_id);
    const agents = [...ofAgents].map(([agentId, ofAgent]) => ({
      id: agentId,
      version: ofAgent[0]?.definition?.version,
      current: keepVersion !== true,
      sets: [...new Set(ofAgent.flatMap(({ task, definition }) => setsOf([task], definition)))],
    }));
    const entries = audit.filter((entry) => entry !== undefined);
    const args = { id, steps: steps.length, agents, count: planned.length, owner, quota, audit: entries };
    const value = kept ? `${kept.bodyDigest} ${json}` : '';
    const given = { ...args, kept: kept && { digest: kept.digest, expected: kept.expected } };
    const [outcome, found] = (await beginBatch(given, value)) as [Begun['outcome'], string];
    if (outcome === 'kept') return { outcome, value: found };
    return outcome === 'missing' || outcome === 'redefined' ? { outcome, agentId: found } : { outcome };
  }

  async function takeStep(id: string, step: Step, left: number): Promise<void> {
    const tasks = step.records.map((record) => parseRecord(record) as Task);
    const [first] = tasks as [Task];
    const created = await create({
      ...{ agentId: first.agent_id, definition: await definitions.readOf(first), tasks, records: step.records },
      dependencies: new Map(tasks.map((task, at) => [task.id, step.after[at] as Dependency[]])),
      ...{ json: '', id, keepVersion: true, kept: undefined, quota: undefined, batch: { id, left } },
      ...{ owner: step.owner, creator: step.creator, counted: step.counted },
    });
    if (created.outcome !== 'agent missing') return;
    await skipStep({ batch: { id, left }, count: tasks.length, owner: step.counted });
  }

  return {
    begin,

    /** The ids of batches that are to be created. */
    list: () => redis.smembers(keys.batches),

    /** Creates the tasks of a batch that has begun, or the rest of them. Returns whether some are left. */
    async run(id: string, signal?: AbortSignal): Promise<boolean> {
      for (;;) {
        const [left, text] = await Promise.all([redis.llen(keys.batch(id)), redis.lrange(keys.batch(id), 0, 0)]);
        if (left === 0 || text[0] === undefined) return false;
        await takeStep(id, JSON.parse(text[0]) as Step, left);
        if (signal?.aborted) return true;
      }
    },
  };
}

function toSteps(planned: readonly Planned[], of: Pick<Step, 'owner' | 'creator' | 'counted'>): Step[] {
  const tasks = planned.map(({ task }) => task);
  const steps: Step[] = [];
  for (let from = 0; from < planned.length; ) {
    const other = tasks.findIndex((task, at) => at > from && !isSameAgent(task, tasks[from] as Task));
    const to = findStepEnd(other < 0 ? tasks : tasks.slice(0, other), from);
    const step = planned.slice(from, to);
    const records = step.map(({ task }) => JSON.stringify(task));
    steps.push({ ...of, records, after: step.map(({ after }) => after) });
    from = to;
  }
  return steps;
}

/** One script creates tasks of one version. */
function isSameAgent(one: Task, other: Task): boolean {
  return one.agent_id === other.agent_id && one.agent_version === other.agent_version;
}
