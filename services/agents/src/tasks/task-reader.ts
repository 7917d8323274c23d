import type { Input } from '@agent-fleet/shared/contract/operation';
import type { Page } from '@agent-fleet/shared/contract/paging';
import { isId } from '../contract/ids.ts';
import type { Missing } from '../contract/not-found.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { createReadPage, type RecordPage } from '../redis/page.ts';
import { createReadUnionPage } from '../redis/union-page.ts';
import { createReadVisiblePage } from '../redis/visible-page.ts';
import type { searchTasks } from './contract.ts';
import { idsOf, type StoredTask, toStoredTask } from './stored-task.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

type TaskFilter = Omit<Input<typeof searchTasks>['query'], keyof Page>;

/** Deleted agents whose tasks a search may leave out before it reads records. */
const MAX_DELETIONS = 100;

const NOTHING: RecordPage = { total: 0, passed: 0, records: [] };

export type TaskReader = ReturnType<typeof createTaskReader>;

/** Reads tasks. A record is the served JSON text. */
export function createTaskReader({ redis, keys }: FleetContext) {
  const readPage = createReadPage(redis, keys);
  const readUnionPage = createReadUnionPage(redis, keys);
  const readVisiblePage = createReadVisiblePage(redis, keys);

  /** Reads a record in one round trip. */
  async function read(agentId: string, taskId: string): Promise<{ outcome: 'found'; json: string } | Missing> {
    if (!isId(agentId)) return { outcome: 'agent missing' };
    const [agent, json] = await Promise.all([redis.exists(keys.agent(agentId)), redis.get(keys.task(taskId))]);
    if (agent === 0) return { outcome: 'agent missing' };
    return json !== null && idsOf(json).agent_id === agentId ? { outcome: 'found', json } : { outcome: 'missing' };
  }

  return {
    read,

    /** Reads a record with its state in one round trip. */
    async readForChange(agentId: string, taskId: string): Promise<({ outcome: 'found' } & StoredTask) | Missing> {
      if (!isId(agentId)) return { outcome: 'agent missing' };
      // The state first: a change in between then fails by compare-and-set, instead of passing with an old record.
      const [agent, stateText, json] = await Promise.all([
        redis.exists(keys.agent(agentId)),
        redis.get(keys.state(taskId)),
        redis.get(keys.task(taskId)),
      ]);
      if (agent === 0) return { outcome: 'agent missing' };
      if (!json || !stateText || idsOf(json).agent_id !== agentId) return { outcome: 'missing' };
      return { outcome: 'found', ...toStoredTask(json, stateText) };
    },

    /** Whether more events of a task may follow. */
    async findEnd(agentId: string, taskId: string): Promise<'open' | 'ended' | 'gone'> {
      const found = await read(agentId, taskId);
      if (found.outcome === 'agent missing') return 'gone';
      return found.outcome === 'missing' || isEnded(JSON.parse(found.json) as Task) ? 'ended' : 'open';
    },

    /** Returns ended attempts as JSON texts, oldest first. */
    readAttempts: (taskId: string) => redis.lrange(keys.attempts(taskId), 0, -1),

    list: (agentId: string, status: string | undefined, page: Page): Promise<RecordPage> =>
      readPage(keys.tasks({ agent: agentId, status }), page),

    /** Searches the tasks of all agents, or of those that are visible. */
    async search(filter: TaskFilter, page: Page, visible?: ReadonlySet<string>): Promise<RecordPage> {
      const { agent_id: agent, type, status, tag } = filter;
      if (agent === undefined) return visible ? searchAgents([...visible], filter, page) : searchFleet(filter, page);
      if (!isId(agent) || visible?.has(agent) === false) return NOTHING;
      const typeOfAgent = await redis.hget(keys.agent(agent), 'type');
      if (typeOfAgent === null || (type !== undefined && typeOfAgent !== type)) return NOTHING;
      return readPage(keys.tasks({ agent, tag, status }), page);
    },
  };

  /** Searches the tasks of at most 100 agents. */
  async function searchAgents(agents: string[], { type, status, tag }: TaskFilter, page: Page): Promise<RecordPage> {
    const types = await Promise.all(agents.map((agent) => redis.hget(keys.agent(agent), 'type')));
    const matching = agents.filter((_, at) => types[at] !== null && (type ?? types[at]) === types[at]);
    return readUnionPage(
      matching.map((agent) => keys.tasks({ agent, tag, status })),
      page,
    );
  }

  /** Leaves out tasks of deleted agents that are not removed yet. */
  async function searchFleet({ type, status, tag }: TaskFilter, page: Page): Promise<RecordPage> {
    const index = keys.tasks({ type, tag, status });
    const [[cursor, purges], found] = await Promise.all([
      // Some of the deleted agents, as there may be many.
      redis.hscan(keys.purges, 0, 'COUNT', MAX_DELETIONS),
      readPage(index, page),
    ]);
    if (cursor === '0' && purges.length === 0) return found;
    // Of an agent with several types, only some tasks are in the index of one.
    const isPart = (types: string | undefined) => type === undefined || types === type;
    const deleted = purges.filter((_, at) => at % 2 === 0 && isPart(purges[at + 1]));
    const hidden = deleted.map((agent) => keys.tasks({ agent, tag, status }));
    return omitDeleted(await readVisiblePage(index, hidden, page));
  }

  /** Leaves out the tasks of other deleted agents: the page is shorter then, and `total` counts them. */
  async function omitDeleted(page: RecordPage): Promise<RecordPage> {
    const agents = [...new Set(page.records.map((json) => idsOf(json).agent_id))];
    const exists = await Promise.all(agents.map((agent) => redis.exists(keys.agent(agent))));
    const deleted = new Set(agents.filter((_, at) => exists[at] === 0));
    return { ...page, records: page.records.filter((json) => !deleted.has(idsOf(json).agent_id)) };
  }
}
